import { resolve } from "node:path";
import { MisuseError } from "../record/mod.ts";
import { type NotebookResult, readAssignments, runNotebooks } from "../notebook/headless/mod.ts";
import { durationText } from "../render/mod.ts";
import type { Command } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";
import { print } from "./output.ts";
import { ProgressBar } from "./progress.ts";
import { shownPath } from "./run_text.ts";
import { workingFolder } from "./working_folder.ts";

const OPTIONS: readonly Option[] = [
  {
    name: "param",
    value: "NAME=VALUE",
    help: "A parameter of the cell tagged parameters; repeatable",
    repeatable: true,
  },
  { name: "quick", value: null, help: "A quick look: the quick values that each notebook states" },
  { name: "out", value: "DIR", help: "Where executed notebooks go (default: out/ of the project)" },
  { name: "inplace", value: null, help: "Replace each notebook by its executed form" },
  {
    name: "timeout",
    value: "SECONDS",
    help: "How long one cell may take (default: as the notebook says, else 600)",
  },
  { name: "json", value: null, help: "Print one JSON document on standard output" },
  HELP,
];

/** `lab notebook run`. */
export const command: Command = {
  help: () =>
    `Usage: deno task lab notebook run FILE … [--param name=value …]\n\nOptions:\n${
      describeOptions(OPTIONS)
    }`,

  async run([verb, ...args]) {
    if (verb !== "run") throw new MisuseError("Cannot use lab notebook without run: lab notebook run FILE …");
    const { options, words } = parseOptions(args, OPTIONS);
    const at = (path: string) => resolve(workingFolder(), path);
    const inPlace = options.inplace === true;
    if (inPlace && options.out !== undefined) {
      throw new MisuseError(
        "Cannot use --out and --inplace together: one says where, the other that it is here",
      );
    }
    using interruption = onInterrupt();
    using bar = new ProgressBar();
    const { status, notebooks } = await runNotebooks({
      files: words.map(at),
      texts: readAssignments(options.param as readonly string[] ?? []),
      quick: options.quick === true,
      inPlace,
      ...(options.out === undefined ? {} : { outDirectory: at(options.out as string) }),
      ...(options.timeout === undefined ? {} : { timeoutMs: timeoutMs(options.timeout as string) }),
    }, {
      signal: interruption.signal,
      onEvent(event) {
        if (event.type === "cell") bar.update(event.done, event.total, shownPath(event.name));
        if (event.type === "live") bar.note(event.text);
        if (event.type === "warning") bar.say(`Warning: ${event.warning.message}. ${event.warning.remedy}`);
        if (event.type === "saved") bar.stop();
      },
    });
    bar.stop();
    if (options.json === true) print(JSON.stringify({ status, notebooks }, null, 2));
    else print(notebooks.map(describe).join("\n"));
    if (status === "interrupted") return 130;
    return status === "complete" ? 0 : 1;
  },
};

function describe({ name, path, status, reason, durationMs }: NotebookResult): string {
  const where = path === null ? "not saved" : `in ${shownPath(path)}`;
  const why = reason === null ? "" : `\n  ${reason}`;
  return `${shownPath(name)} is ${status} after ${durationText(durationMs)}, ${where}${why}`;
}

function timeoutMs(seconds: string): number {
  if (/^\d+(\.\d+)?$/.test(seconds) && Number(seconds) > 0) return Number(seconds) * 1000;
  throw new MisuseError(
    `Cannot use --timeout as it must be a number of seconds above 0: current value is ${seconds}`,
  );
}
