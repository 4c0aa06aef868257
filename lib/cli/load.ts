import { MisuseError } from "../record/mod.ts";
import type { Command } from "./command.ts";
import { describeLoad } from "./load_text.ts";
import { helpToRun, runExperiment } from "./run_experiment.ts";

/** The experiment behind the verb. */
const LOAD = "load";

/** `lab load`. */
export const command: Command = {
  help: () => helpToRun("load URL [--allow-remote HOST] [--param value …]", LOAD, { without: ["target"] }),

  async run([url, ...args]) {
    if (url === undefined || url.startsWith("-")) {
      throw new MisuseError(
        "Cannot load without a target: write lab load URL, or lab run load for the lab's own server",
      );
    }
    if (args.some((arg) => /^--target(=|$)/.test(arg))) {
      throw new MisuseError("Cannot load two targets: write lab load URL, without --target");
    }
    return await runExperiment(LOAD, [`--target=${url}`, ...args], {
      tell: describeLoad,
      tellsWarnings: true,
    });
  },
};
