import { MisuseError } from "../record/mod.ts";
import { findRun, readRun } from "../store/mod.ts";
import type { Command } from "./command.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";
import { print } from "./output.ts";
import { describeRun, runDocument } from "./run_text.ts";
import { workingFolder } from "./working_folder.ts";

const OPTIONS: readonly Option[] = [
  DATA,
  { name: "json", value: null, help: "Print one JSON document on standard output" },
  HELP,
];

/** `lab show`. */
export const command: Command = {
  help: () => `Usage: deno task lab show RUN|latest\n\nOptions:\n${describeOptions(OPTIONS)}`,

  async run(args) {
    const { options, words } = parseOptions(args, OPTIONS);
    const [name, ...rest] = words;
    if (name === undefined || rest.length > 0) {
      throw new MisuseError("Cannot show a run: name one, or write latest");
    }
    const run = await readRun(await findRun(dataFolder(options), name, { folder: workingFolder() }));
    print(options.json === true ? JSON.stringify(runDocument(run), null, 2) : describeRun(run));
    return 0;
  },
};
