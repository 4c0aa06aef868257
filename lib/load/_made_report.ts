import type { LoadPlan } from "./plan.ts";
import type { LoadReport } from "./report.ts";

/** A plan for tests: a closed loop of ten connections for two seconds. */
export const PLAN: LoadPlan = {
  client: "epoll",
  method: "GET",
  connections: 10,
  arrivals: { loop: "closed" },
  durationMs: 2000,
  requests: null,
  timeoutMs: null,
  threads: 1,
  keepRows: false,
  seed: 1,
};

/** A report for tests in which all went well. */
export const REPORT: LoadReport = {
  sent: 3,
  unsent: 0,
  answered: [0, 0, 2, 0, 1, 0, 0, 0, 0, 0],
  failures: [],
  unfinished: 0,
  fresh: 1,
  reused: 2,
  bodyBytes: 30,
  startMs: 1000,
  elapsedMs: 2000,
  lastEndMs: 1990,
  seconds: [{
    second: 0,
    sent: 3,
    answered: [0, 0, 2, 0, 1, 0, 0, 0, 0, 0],
    failed: 0,
    bodyBytes: 30,
    service: "",
    response: "",
  }],
  rows: null,
  generator: { cpuShare: 0.5, waitShare: 0, lateness: "", timerLateness: "", connections: 10 },
};
