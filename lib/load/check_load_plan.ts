import type { LoadPlan, LoadTarget } from "./plan.ts";

/**
 * Refuses a plan that no engine can carry out.
 *
 * @param plan the plan
 * @param targets where its connections go
 * @throws {RangeError} a number is out of range, or there is no target
 */
export function checkLoadPlan(plan: LoadPlan, targets: readonly LoadTarget[]): void {
  const { connections, arrivals, durationMs, requests, timeoutMs, threads } = plan;
  requireWhole("threads", threads);
  requireWhole("connections", connections);
  if (connections < threads) {
    throw new RangeError(
      `Cannot make load as connections must be >= threads: current value is ${connections} for ${threads}`,
    );
  }
  requirePositive("durationMs", durationMs);
  if (arrivals.loop === "open") requirePositive("ratePerSecond", arrivals.ratePerSecond);
  if (requests !== null) requireWhole("requests", requests);
  if (timeoutMs !== null) requirePositive("timeoutMs", timeoutMs);
  if (targets.length === 0) throw new RangeError("Cannot make load as there is no target");
}

function requireWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RangeError(`Cannot make load as ${name} must be an integer >= 1: current value is ${value}`);
}

function requirePositive(name: string, value: number): void {
  if (value > 0 && value < Infinity) return;
  throw new RangeError(`Cannot make load as ${name} must be > 0: current value is ${value}`);
}
