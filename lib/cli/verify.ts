import { MisuseError } from "../record/mod.ts";
import { printable } from "../render/mod.ts";
import { findRun, listRuns, verifyRun } from "../store/mod.ts";
import type { Command } from "./command.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";
import { print, say } from "./output.ts";
import { shownPath } from "./run_text.ts";
import { workingFolder } from "./working_folder.ts";

const OPTIONS: readonly Option[] = [DATA, HELP];

/** `lab verify`. */
export const command: Command = {
  help: () =>
    "Usage: deno task lab verify [RUN …]\n\nWithout a name every run is checked. " +
    `Exit status 1 when a file is not as it was written.\n\nOptions:\n${describeOptions(OPTIONS)}`,

  async run(args) {
    const { options, words } = parseOptions(args, OPTIONS);
    const data = dataFolder(options);
    if (options.data !== undefined && !isFolder(data)) {
      throw new MisuseError(`Cannot verify the runs in ${data} as there is no such folder`);
    }
    const named = await Promise.all(words.map((word) => findRun(data, word, { folder: workingFolder() })));
    const paths = words.length > 0 ? named : (await listRuns(data)).map(({ path }) => path);
    if (paths.length === 0) say("There are no runs to verify");
    let status = 0;
    for (const path of paths) if (!(await report(path))) status = 1;
    return status;
  },
};

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Says what was found of one run; whether it is as it was written. */
async function report(path: string): Promise<boolean> {
  try {
    const { verdict, files } = await verifyRun(path);
    // By its folder: a copy has the id of the run that it was made from.
    print(`${printable(shownPath(path))}: ${verdict}`);
    for (const { verdict, message } of files) {
      if (verdict !== "ok") print(`  ${message.replaceAll("\n", "\n  ")}`);
    }
    return verdict !== "differs";
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    return false;
  }
}
