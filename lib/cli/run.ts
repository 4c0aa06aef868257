import { locateExperiment } from "../experiments/mod.ts";
import { describe, previewRun, type RunRequest, startRun } from "../harness/mod.ts";
import { MisuseError, type RunStatus } from "../record/mod.ts";
import { readRun } from "../store/mod.ts";
import type { Command } from "./command.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { onInterrupt } from "./interrupt.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";
import { experimentHelp, givenParameters, parameterOptions, parseSeed } from "./parameters.ts";
import { print, say } from "./output.ts";
import { ProgressBar } from "./progress.ts";
import { describePlan, describeRun, runDocument } from "./run_text.ts";
import { workingFolder } from "./working_folder.ts";

const OPTIONS: readonly Option[] = [
  DATA,
  { name: "seed", value: "N", help: "Seed of every random choice (default: drawn and recorded)" },
  { name: "label", value: "TEXT", help: "What you call this run" },
  { name: "quick", value: null, help: "A quick look: each parameter's quick value" },
  { name: "dry-run", value: null, help: "Check and say what would be done" },
  { name: "json", value: null, help: "Print one JSON document on standard output" },
  HELP,
];

/** `lab run`. */
export const command: Command = {
  async help([name]) {
    const parts = ["Usage: deno task lab run EXPERIMENT|FILE [--param value …]"];
    if (name !== undefined && !name.startsWith("-")) {
      parts.push(experimentHelp(await describe(locate(name), { onStderr: say })));
    }
    return [...parts, `Options:\n${describeOptions(OPTIONS)}`].join("\n\n");
  },

  async run([name, ...args]) {
    if (name === undefined || name.startsWith("-")) {
      throw new MisuseError(
        "Cannot run without an experiment: write its name right behind run; lab list names them",
      );
    }
    const experiment = locate(name);
    const description = await describe(experiment, { onStderr: say });
    const { options, words } = parseOptions(args, [...OPTIONS, ...parameterOptions(description)]);
    if (words.length > 0) {
      throw new MisuseError(`Cannot run with ${words.join(" ")}: a parameter is written as --name value`);
    }
    const request: RunRequest = {
      experiment,
      params: givenParameters(description, options),
      asOptions: true,
      quick: options.quick === true,
      seed: parseSeed(options.seed as string | undefined),
      label: (options.label as string | undefined) ?? null,
      dataDirectory: dataFolder(options),
      dryRun: options["dry-run"] === true,
    };
    const json = options.json === true;
    return request.dryRun ? await preview(request, json) : await measure(request, json);
  },
};

async function preview(request: RunRequest, json: boolean): Promise<number> {
  const plan = await previewRun(request, { onStderr: say });
  print(json ? JSON.stringify(plan, null, 2) : describePlan(plan));
  return 0;
}

async function measure(request: RunRequest, json: boolean): Promise<number> {
  using interruption = onInterrupt();
  using bar = new ProgressBar();
  const ended = await startRun(request, {
    signal: interruption.signal,
    onStderr: (line) => bar.say(line),
    onEvent(event) {
      if (event.type === "created") bar.say(describePlan(event.plan));
      if (event.type === "progress") bar.update(event.done, event.total, event.text);
      if (event.type === "warning") bar.say(`Warning: ${event.warning.message}. ${event.warning.remedy}`);
    },
  });
  bar.stop();
  // Said first: a run whose folder is gone can be described no more.
  if (ended.reason !== null) say(`The run is ${ended.status}: ${ended.reason}`);
  const run = await readRun(ended.path);
  print(json ? JSON.stringify(runDocument(run), null, 2) : describeRun(run));
  return exitStatus(ended.status, interruption.signal.aborted);
}

/**
 * The exit status for a run.
 *
 * @param status how it ended
 * @param interrupted whether it was told to end, which may have been too late
 * @returns 0, 1 or 130
 */
export function exitStatus(status: RunStatus, interrupted: boolean): number {
  if (status === "complete") return 0;
  return status === "incomplete" && interrupted ? 130 : 1;
}

function locate(name: string): string {
  return locateExperiment(name, workingFolder());
}
