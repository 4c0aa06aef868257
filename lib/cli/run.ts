import { locateExperiment } from "../experiments/mod.ts";
import { MisuseError } from "../record/mod.ts";
import type { Command } from "./command.ts";
import { helpToRun, runExperiment } from "./run_experiment.ts";
import { describeRun } from "./run_text.ts";
import { workingFolder } from "./working_folder.ts";

/** `lab run`. */
export const command: Command = {
  help: ([name]) =>
    helpToRun(
      "run EXPERIMENT|FILE [--param value …]",
      name === undefined || name.startsWith("-") ? null : locate(name),
    ),

  async run([name, ...args]) {
    if (name === undefined || name.startsWith("-")) {
      throw new MisuseError(
        "Cannot run without an experiment: write its name right behind run; lab list names them",
      );
    }
    return await runExperiment(locate(name), args, { tell: describeRun, tellsWarnings: true });
  },
};

function locate(name: string): string {
  return locateExperiment(name, workingFolder());
}
