import { gridText } from "../render/mod.ts";
import { listRuns, type RunEntry } from "../store/mod.ts";
import type { Command } from "./command.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";

const OPTIONS: readonly Option[] = [DATA, HELP];

/** `lab runs`. */
export const command: Command = {
  help: () => `Usage: deno task lab runs [EXPERIMENT]\n\nOptions:\n${describeOptions(OPTIONS)}`,

  async run(args) {
    const { options, words } = parseOptions(args, OPTIONS);
    const runs = await listRuns(dataFolder(options), words[0]);
    if (runs.length === 0) console.error("There are no runs yet: deno task lab run handshake-cost makes one");
    else {console.log(
        gridText({
          caption: "Runs",
          head: ["run", "status", "label", "started"],
          rows: runs.map(cells),
          numeric: [],
          notes: [],
        }),
      );}
    return 0;
  },
};

function cells({ id, manifest, problem, started }: RunEntry): string[] {
  return [
    id,
    manifest?.connlab.status ?? `cannot be read: ${problem}`,
    manifest?.connlab.label ?? "",
    started ?? "",
  ];
}
