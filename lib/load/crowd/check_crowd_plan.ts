import type { CrowdPlan } from "../crowd_plan.ts";

/**
 * Refuses what a client cannot do.
 *
 * @param plan what is to be opened
 * @throws {TypeError} `fetch` is to send half a request
 * @throws {RangeError} a number is out of range
 */
export function checkCrowdPlan({ client, behaviour, connections, burst }: CrowdPlan): void {
  if (client === "fetch" && (behaviour.kind === "half-header" || behaviour.kind === "half-body")) {
    throw new TypeError(`Cannot send ${behaviour.kind} with fetch as it sends whole requests only`);
  }
  for (const [name, value, least] of [["connections", connections, 0], ["burst", burst, 1]] as const) {
    if (Number.isInteger(value) && value >= least) continue;
    throw new RangeError(
      `Cannot open crowd as ${name} must be an integer >= ${least}: current value is ${value}`,
    );
  }
}
