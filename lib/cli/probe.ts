import { describeVerdict } from "../experiments/idle_limit/mod.ts";
import { closest, MisuseError } from "../record/mod.ts";
import type { Command } from "./command.ts";
import { helpToRun, runExperiment } from "./run_experiment.ts";

/** What can be probed, and the experiment that does it. */
const PROBES: Readonly<Record<string, string>> = { idle: "idle-limit" };

/** `lab probe`. */
export const command: Command = {
  help: ([what]) =>
    helpToRun(
      "probe idle --target URL [--allow-remote HOST] [--param value …]",
      what === undefined || what.startsWith("-") ? null : experimentOf(what),
    ),

  async run([what, ...args]) {
    if (what === undefined || what.startsWith("-")) {
      throw new MisuseError("Cannot probe without being told what: write lab probe idle --target URL");
    }
    return await runExperiment(experimentOf(what), args, { tell: describeVerdict, check: requireTarget });
  },
};

/** Without one, the experiment measures the lab's own server, and its limit would pass for an answer. */
function requireTarget({ target }: Readonly<Record<string, unknown>>): void {
  if (target !== undefined) return;
  throw new MisuseError(
    "Cannot probe without a target: write lab probe idle --target URL, or lab run idle-limit for the lab's own " +
      "server",
  );
}

function experimentOf(what: string): string {
  const experiment = Object.hasOwn(PROBES, what) ? PROBES[what] : undefined;
  if (experiment !== undefined) return experiment;
  const nearest = closest(what, Object.keys(PROBES));
  const hint = nearest === null
    ? `what can be probed is ${Object.keys(PROBES).join(", ")}`
    : `did you mean ${nearest}?`;
  throw new MisuseError(`Cannot probe ${what}: ${hint}`);
}
