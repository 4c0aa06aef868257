import type { Warning } from "../../record/mod.ts";
import { pause } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { measureBlueGreen } from "./blue_green.ts";
import { measureBurst } from "./burst.ts";
import { measureCost } from "./cost.ts";
import { includes, type Values } from "./params.ts";
import { scheduledMs } from "./plan.ts";
import { measureRotation } from "./rotation.ts";
import { measureShared } from "./shared.ts";
import { Stage } from "./stage.ts";
import type { Tables } from "./tables.ts";
import { jitters } from "./variants.ts";

/** Listeners of the origin beside its first one, which blue-green has: one for each of the others to be counted at. */
export const LISTENERS = 4;

const PROGRESS_INTERVAL_MS = 500;

/**
 * Measures the parts that were asked for. Those that go by the clock run side by side, as they leave the
 * machine nearly idle; what a lifetime costs is measured afterwards, alone.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const { signal, warn } = context;
  const stage = new Stage(params, context);
  const [rotation, shared, apart, sweep] = stage.origin.ports as [number, number, number, number];
  warn({
    ...LOOPBACK,
    remedy: "Add the round trips of your network to what a reconnect costs here",
  });
  if (params.speed !== 1) warn(accelerated(params));
  const parts: Promise<void>[] = [];
  if (includes(params, "rotation")) parts.push(measureRotation(stage, rotation));
  if (includes(params, "shared")) parts.push(measureShared(stage, [shared, apart]));
  if (includes(params, "blue-green")) parts.push(measureBlueGreen(stage));
  if (includes(params, "sweep")) {
    parts.push(...jitters(params).map((jitter) => measureBurst(stage, jitter, sweep)));
  }
  await withProgress(Promise.all(parts), stage);
  for (const server of Object.values(context.servers)) await stage.recordVisits(server);
  if (includes(params, "sweep") && !signal.aborted) await measureCost(stage, sweep);
}

function accelerated({ speed }: Values): Warning {
  return {
    code: "accelerated",
    message: `Lifetimes and intervals passed ${speed} times as fast: summary and figures count the ` +
      `experiment's time, a second of which took ${Math.round(1000 / speed)} ms; rows hold real times`,
    remedy: "Run it without --speed (or --quick) to measure them as they are",
  };
}

/** Shows how much of the time has passed until the parts are done. */
async function withProgress(parts: Promise<unknown>, stage: Stage): Promise<void> {
  const { context, params } = stage;
  const totalMs = stage.real(scheduledMs(params));
  const startMs = context.now();
  const done = new AbortController();
  const settle = () => done.abort();
  parts.then(settle, settle);
  while (!done.signal.aborted) {
    context.progress(Math.min(totalMs, context.now() - startMs), totalMs, "requests, by the clock");
    await pause(PROGRESS_INTERVAL_MS, done.signal);
  }
  await parts;
  if (!context.signal.aborted) context.progress(totalMs, totalMs, "every request was made");
}
