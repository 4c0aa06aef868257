import { type LoadPlan, type LoadTarget, loadWarnings } from "../../load/mod.ts";
import { knock } from "../_shared/knock.ts";
import { emitLoad, emitSecond, requestCells } from "../_shared/load_rows.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { requestedPath } from "../_shared/requested_path.ts";
import { openGenerator, warnOfLost } from "../_shared/shards.ts";
import { isLoopback } from "../_shared/allowed_target.ts";
import type { MeasureContext } from "../contract.ts";
import type { Values } from "./params.ts";
import type { Tables } from "./tables.ts";

/**
 * Makes one load, and records what came of it.
 *
 * @param params the parameters
 * @param context where rows and progress go
 * @throws {Error} the target does not answer
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const { signal, progress } = context;
  const target = await targetOf(params, context);
  if (signal.aborted) return;
  if (isLoopback(target.hostname)) context.warn(LOOPBACK);
  await using generator = await openGenerator(params.shards, context);
  const plan = planOf(params, context.seed);
  let told = 0;
  const load = await generator.load(plan, [target], {
    signal,
    // A load that is killed keeps the seconds that it had.
    onSecond(second) {
      emitSecond(params.client, second, context);
      told++;
    },
    onProgress: (elapsedMs, sent) =>
      progress(Math.min(elapsedMs, plan.durationMs), plan.durationMs, `${sent} requests sent`),
  });
  for (const warning of loadWarnings(plan, load)) context.warn(warning);
  warnOfLost(load, context);
  emitLoad(params.client, load, context, told);
  for (const request of load.rows ?? []) context.emit("requests", requestCells(request));
}

/** What load the parameters ask for. */
function planOf(params: Values, seed: number): LoadPlan {
  const { client, connections, threads, duration, requests, rate, spacing, timeout } = params;
  return {
    ...{ client, connections, threads, requests, seed, method: "GET", keepRows: params.rows },
    durationMs: duration,
    timeoutMs: timeout || null,
    arrivals: rate === null ? { loop: "closed" } : { loop: "open", ratePerSecond: rate, spacing },
  };
}

async function targetOf(params: Values, { servers, warn }: MeasureContext<Tables>): Promise<LoadTarget> {
  const { target, path, difficulty } = params;
  if (target === null) {
    const { hostname, port } = servers.origin!;
    return {
      ...{ address: hostname, hostname, port },
      path: requestedPath(path, { preset: "/static", difficulty }),
    };
  }
  const { pathname, search } = new URL(target);
  const requested = requestedPath(path, { preset: pathname + search, difficulty });
  const subject = await knock(new URL(requested, target).href, { warn });
  return { ...subject.next(), path: requested };
}
