import { findRun, listRuns, verifyRun } from "../store/mod.ts";
import type { Command } from "./command.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";

const OPTIONS: readonly Option[] = [DATA, HELP];

/** `lab verify`. */
export const command: Command = {
  help: () =>
    "Usage: deno task lab verify [RUN …]\n\nWithout a name every run is checked. " +
    `Exit status 1 when a file is not as it was written.\n\nOptions:\n${describeOptions(OPTIONS)}`,

  async run(args) {
    const { options, words } = parseOptions(args, OPTIONS);
    const data = dataFolder(options);
    const named = await Promise.all(words.map((word) => findRun(data, word)));
    const paths = words.length > 0 ? named : (await listRuns(data)).map(({ path }) => path);
    if (paths.length === 0) console.error("There are no runs to verify");
    let status = 0;
    for (const path of paths) if (!(await report(path))) status = 1;
    return status;
  },
};

/** Says what was found of one run; whether it is as it was written. */
async function report(path: string): Promise<boolean> {
  try {
    const { id, verdict, files } = await verifyRun(path);
    console.log(`${id}: ${verdict}`);
    for (const { verdict, message } of files) if (verdict !== "ok") console.log(`  ${message}`);
    return verdict !== "differs";
  } catch (error) {
    console.log(error instanceof Error ? error.message : String(error));
    return false;
  }
}
