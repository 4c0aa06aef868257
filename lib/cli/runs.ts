import { experimentIds } from "../experiments/mod.ts";
import { closest, MisuseError } from "../record/mod.ts";
import { type Grid, gridText } from "../render/mod.ts";
import { listRuns, type RunEntry } from "../store/mod.ts";
import type { Command } from "./command.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";
import { print, say } from "./output.ts";

const OPTIONS: readonly Option[] = [DATA, HELP];

/** `lab runs`. */
export const command: Command = {
  help: () => `Usage: deno task lab runs [EXPERIMENT]\n\nOptions:\n${describeOptions(OPTIONS)}`,

  async run(args) {
    const { options, words } = parseOptions(args, OPTIONS);
    const [experiment, ...rest] = words;
    if (rest.length > 0) throw new MisuseError(`Cannot list runs of ${words.join(" ")}: name one experiment`);
    const data = dataFolder(options);
    const runs = await listRuns(data, experiment);
    if (runs.length > 0) print(gridText(runsGrid(runs)));
    else if (experiment === undefined || experimentIds().includes(experiment)) {
      say("There are no runs yet: deno task lab run handshake-cost makes one");
    } else throw await noRunsOf(experiment, data);
    return 0;
  },
};

/** A person's own experiments are known by their runs alone. */
async function noRunsOf(experiment: string, data: string): Promise<MisuseError> {
  const measured = (await listRuns(data)).map(({ id }) => id.split("/")[0]!);
  const known = [...new Set([...experimentIds(), ...measured])];
  const nearest = closest(experiment, known);
  const hint = nearest === null ? `the experiments are ${known.join(", ")}` : `did you mean ${nearest}?`;
  return new MisuseError(`Cannot list runs of ${experiment} as there are none in ${data}: ${hint}`);
}

function runsGrid(runs: readonly RunEntry[]): Grid {
  return {
    caption: "Runs",
    head: ["run", "status", "label", "started"],
    rows: runs.map(cells),
    numeric: [],
    notes: [],
  };
}

function cells({ id, manifest, problem, started }: RunEntry): string[] {
  return [
    id,
    manifest?.connlab.status ?? `cannot be read: ${problem}`,
    manifest?.connlab.label ?? "",
    started ?? "",
  ];
}
