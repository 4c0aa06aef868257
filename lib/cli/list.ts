import { experimentIds, loadExperiment } from "../experiments/mod.ts";
import { resolveParams } from "../record/mod.ts";
import { durationText } from "../render/mod.ts";
import type { Command } from "./command.ts";
import { describeOptions, HELP, noWords, parseOptions } from "./options.ts";
import { print } from "./output.ts";

/** `lab list`. */
export const command: Command = {
  help: () => `Usage: deno task lab list\n\nOptions:\n${describeOptions([HELP])}`,

  async run(args) {
    noWords(parseOptions(args, [HELP]).words, "list");
    for (const id of experimentIds()) {
      const { experiment } = await loadExperiment(id);
      const budget = (quick: boolean) =>
        durationText(experiment.budgetMs(resolveParams(experiment.params, {}, { quick }).values));
      print(
        `${id}\n  ${experiment.question}\n  takes at most ${budget(false)}, with --quick ${budget(true)}`,
      );
    }
    return 0;
  },
};
