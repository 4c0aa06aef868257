import { AskedWorker } from "./asked_worker.ts";
import { checkAccounts } from "./check_accounts.ts";
import { checkLoadPlan } from "./check_load_plan.ts";
import type { LoadOptions } from "./generator.ts";
import { mergeReports } from "./merge_reports.ts";
import type { LoadPlan, Shard } from "./plan.ts";
import type { LoadReport } from "./report.ts";
import { SecondParts } from "./second_parts.ts";
import { CELL, type SecondCounts, type ThreadQuestion } from "./thread_protocol.ts";

/** How long before a load its threads hear of it, so that each is awake when it begins, in milliseconds. */
const LEAD_MS = 30;
/** How often the progress is told, in milliseconds. */
const PROGRESS_MS = 100;

/**
 * Makes one shard's part of a load, in threads of its own.
 *
 * @param plan what load all shards make together
 * @param shard which part this one makes
 * @param options what ends it before its time, and who is told of its progress
 * @returns what came of the part
 * @throws {RangeError} a number of the plan is out of range
 * @throws {Error} a thread failed
 */
export async function loadShard(plan: LoadPlan, shard: Shard, options: LoadOptions): Promise<LoadReport> {
  checkLoadPlan(plan, shard.targets);
  const { signal, onProgress = () => {}, onSecond } = options;
  const cells = new Int32Array(
    new SharedArrayBuffer((CELL.sent + plan.threads) * Int32Array.BYTES_PER_ELEMENT),
  );
  const stop = () => void Atomics.store(cells, CELL.stop, 1);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  using threads = new DisposableStack();
  const workers = Array.from(
    { length: plan.threads },
    () => threads.use(new AskedWorker<ThreadQuestion>(new URL("./thread_main.ts", import.meta.url))),
  );
  let telling: ReturnType<typeof setInterval> | undefined;
  try {
    const { buffer } = cells;
    const tellsSeconds = onSecond !== undefined;
    await Promise.all(
      workers.map((worker, thread) =>
        worker.ask({ ask: "prepare", order: { plan, shard, thread, cells: buffer, tellsSeconds } })
      ),
    );
    const startMs = Math.max(shard.startMs, sinceEpochMs() + LEAD_MS);
    telling = setInterval(() => {
      onProgress(Math.max(0, sinceEpochMs() - startMs), sentOf(cells));
    }, PROGRESS_MS);
    const seconds = new SecondParts(plan.threads);
    const hear = (part: unknown) => {
      const second = seconds.take(part as SecondCounts);
      if (second !== null) onSecond?.(second);
    };
    // When one fails, the others are stopped and waited for: a descriptor belongs to the process, and would outlive
    // its thread.
    const runs = workers.map((worker) => worker.ask({ ask: "run", startMs }, hear));
    for (const run of runs) run.catch(stop);
    await Promise.allSettled(runs);
    const report = mergeReports(await Promise.all(runs) as LoadReport[]);
    checkAccounts(report);
    return report;
  } finally {
    clearInterval(telling);
    signal.removeEventListener("abort", stop);
  }
}

function sentOf(cells: Int32Array): number {
  return cells.subarray(CELL.sent).reduce(
    (sum, _, thread) => sum + Atomics.load(cells, CELL.sent + thread),
    0,
  );
}

function sinceEpochMs(): number {
  return performance.timeOrigin + performance.now();
}
