import type { Judgement, RunView } from "../../record/mod.ts";
import { notApplicable, notMeasured } from "../_shared/judgement.ts";
import { type ArmRows, armRows } from "./arm_rows.ts";
import { isKernelFrom } from "./kernel.ts";

/** What measures the arms that are named like this behind their slash, or that have this strategy. */
const COMPARISONS: Readonly<Record<string, string>> = {
  low: "--compare low",
  sources: "--compare sources",
  "1-source": "--compare sources",
  ipv4: "--compare family",
  ipv6: "--compare family",
  window: "--compare windows",
};

/**
 * The verdict on a claim whose arm is not there.
 *
 * @param what the strategy, and behind a slash what it is compared with
 * @returns not measured, with the parameters that would
 */
export function missingArm(what: string): Judgement {
  const [strategy, change] = what.split("/") as [string, string | undefined];
  const comparison = change === undefined ? "" : ` ${COMPARISONS[change] ?? COMPARISONS[strategy] ?? ""}`;
  return notMeasured(`Not measured: it takes --strategies ${strategy}${comparison}`);
}

/**
 * The arm of strategy plain that has one source address, of a family.
 *
 * @param wanted the family
 * @param run the run
 * @returns its name
 */
export function plainOver(wanted: ArmRows["family"], { params: { family, sources } }: RunView): string {
  if (family !== wanted) return `plain/${wanted}`;
  return sources === 1 ? "plain" : "plain/1-source";
}

/**
 * The first arm that is wanted.
 *
 * @param run the run
 * @param wanted whether an arm is
 * @returns the arm; `undefined` when there is none
 */
export function findArm(run: RunView, wanted: (arm: ArmRows) => boolean): ArmRows | undefined {
  return armRows(run.tables).find(wanted);
}

/**
 * Judges an arm that was measured, on a kernel that the claim is about.
 *
 * @param run the run
 * @param variant the arm
 * @param since the first Linux that the claim is about; `null` when it is about all
 * @param judge gives the verdict
 * @returns the verdict
 */
export function onArm(
  run: RunView,
  variant: string,
  since: string | null,
  judge: (arm: ArmRows) => Judgement,
): Judgement {
  const kernel = run.environment?.system.kernel ?? null;
  if (run.environment !== null && run.environment.system.os !== "linux") {
    return notApplicable(`It is about Linux: this is ${run.environment.system.os}`);
  }
  if (since !== null && isKernelFrom(kernel, since) !== true) {
    return notApplicable(`It is about Linux ${since} and later: this is ${kernel ?? "an unknown kernel"}`);
  }
  const arm = findArm(run, (one) => one.variant === variant);
  if (arm === undefined) return missingArm(variant);
  return whyNotWhole(arm) ?? judge(arm);
}

/**
 * The verdict on an arm that has no numbers, or not all.
 *
 * @param arm the arm
 * @returns the verdict; `null` when it has all
 */
export function whyNotWhole({ variant, reason, elapsedMs }: ArmRows): Judgement | null {
  if (reason !== null) return notApplicable(`${variant}: ${reason}`);
  return elapsedMs === null ? notMeasured(`${variant} was not finished`) : null;
}
