import { type ConditionName, CONDITIONS, type FailureName, FAILURES, type Warning } from "../record/mod.ts";
import type { ShardedReport } from "./generator.ts";
import { readLatencies } from "./latencies.ts";
import type { LoadPlan } from "./plan.ts";
import type { LoadReport } from "./report.ts";

/** From here on a thread has no time left to be quicker. */
const FULL_SHARE = 0.9;
/** From here on other work is felt. */
const WAIT_SHARE = 0.05;
/** How late a request may begin, in milliseconds, but for one in a hundred. */
const LATE_MS = 1;
/** From here on the requests that never ended could move the highest percentile that is told. */
const MISSING_SHARE = 0.001;

/**
 * What makes a load less sure than it looks, with what can be done about it: limits of whoever made it, which are no
 * limits of the server.
 *
 * @param plan what load was to be made
 * @param report what came of it
 * @returns the warnings; none when all is well
 */
export function loadWarnings(plan: LoadPlan, report: ShardedReport): Warning[] {
  return [
    ...processorWarnings(report),
    ...timerWarnings(report),
    ...connectionWarnings(plan, report),
    ...shortageWarnings(report),
    ...tailWarnings(plan, report),
  ];
}

function* processorWarnings({ generator: { cpuShare, waitShare } }: LoadReport): Generator<Warning> {
  if (cpuShare !== null && cpuShare >= FULL_SHARE) {
    yield condition(
      "generator-at-limit",
      `A thread of the load generator used ${
        percent(cpuShare)
      } of a processor: the rate may be its limit and not ` +
        `the server's`,
    );
  }
  if (waitShare !== null && waitShare >= WAIT_SHARE) {
    yield {
      code: "processor-shared",
      message:
        `A thread of the load generator waited for a processor ${
          percent(waitShare)
        } of the time: other work ` +
        `on the machine is in its times`,
      remedy: "End the other work, or make the load with fewer threads and shards than there are processors",
    };
  }
}

function* timerWarnings({ generator: { timerLateness } }: LoadReport): Generator<Warning> {
  const lateMs = readLatencies([timerLateness]).percentileMs(99);
  if (lateMs === null || lateMs <= LATE_MS) return;
  yield condition(
    "timer-late",
    `One request in a hundred began more than ${
      lateMs.toFixed(1)
    } ms after it was due though a connection was free`,
  );
}

function* connectionWarnings(plan: LoadPlan, report: ShardedReport): Generator<Warning> {
  const { connections } = report.generator;
  // Those of lost shards are missing, which is told by itself.
  if (report.lost.length > 0) return;
  // In an open loop they are opened as requests need them.
  const wanted = Math.min(plan.connections, plan.requests ?? Infinity);
  if (plan.arrivals.loop === "open" || connections === null || connections >= wanted) return;
  yield {
    code: "fewer-connections",
    message: `At most ${connections} of ${wanted} connections were open at once`,
    remedy:
      "Look at the failures of connects for whose limit it is, and at whether the server closes connections",
  };
}

/** What the generator's own machine ran out of. */
const SHORTAGES: readonly FailureName[] = ["local-ports-exhausted", "descriptors-exhausted"];

function* shortageWarnings({ failures }: LoadReport): Generator<Warning> {
  for (const kind of SHORTAGES) {
    const count = failures.reduce((sum, failure) => sum + (failure.kind === kind ? failure.count : 0), 0);
    if (count === 0) continue;
    const { symptom, remedy } = FAILURES[kind];
    yield { code: kind, message: `${count} requests failed at the load generator: ${symptom}`, remedy };
  }
}

function* tailWarnings({ arrivals }: LoadPlan, { sent, unsent, unfinished }: LoadReport): Generator<Warning> {
  const missing = unsent + unfinished;
  if (arrivals.loop === "closed" || missing < MISSING_SHARE * (sent + unsent)) return;
  yield {
    code: "tail-cut",
    message:
      `${missing} requests that were due had not ended when the load did: the longest response times are missing`,
    remedy: "Make the load last longer than the server stalls, or lower the rate to what the server can do",
  };
}

function condition(code: ConditionName, message: string): Warning {
  return { code, message, remedy: CONDITIONS[code].remedy };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
