// The lab's side of `load_bench.ts`: a line on standard input orders a load or a crowd, the answer tells what came of
// it. A crowd is held until the process ends.
import { type LoadClient, localGenerator, readLatencies } from "../load/mod.ts";
import { Lifeline } from "../system/mod.ts";

/** A load against a server of this machine. */
export interface LoadOrder {
  readonly kind: "load";
  readonly client: LoadClient;
  readonly port: number;
  /** @default {/} */
  readonly path?: string;
  readonly connections: number;
  readonly durationMs: number;
  /** Requests a second of an open loop; `null` for a closed loop. */
  readonly ratePerSecond: number | null;
}

/** What came of a load in which no request failed. */
export interface LoadAnswer {
  readonly requestsPerSecond: number;
  /** The share of the time in which the engine was ready to run and had no processor; `null` where nothing tells. */
  readonly waitShare: number | null;
  /** Actual − intended start; all three `null` in a closed loop. */
  readonly latenessP50Ms: number | null;
  readonly latenessP99Ms: number | null;
  readonly latenessMaxMs: number | null;
}

/** Connections that are opened with one request each, and held idle. */
export interface CrowdOrder {
  readonly kind: "crowd";
  readonly port: number;
  readonly connections: number;
  readonly burst: number;
}

/** What opening a crowd took. */
export interface CrowdAnswer {
  readonly openMs: number;
  /** Memory of the process with the crowd, its resident set. */
  readonly residentBytes: number;
}

const generator = localGenerator();
await using held = new AsyncDisposableStack();
const hostname = "127.0.0.1";

/** How long an engine runs before its rate counts: its code is compiled meanwhile, as that of a tool is beforehand. */
const WARM_UP_MS = 300;

async function load(order: LoadOrder): Promise<LoadAnswer> {
  const { client, port, path = "/", connections, ratePerSecond } = order;
  const marks: { readonly elapsedMs: number; readonly sent: number }[] = [];
  const report = await generator.load(
    {
      client,
      method: "GET",
      connections,
      arrivals: ratePerSecond === null
        ? { loop: "closed" }
        : { loop: "open", ratePerSecond, spacing: "constant" },
      durationMs: WARM_UP_MS + order.durationMs,
      requests: null,
      timeoutMs: null,
      threads: 1,
      keepRows: false,
      seed: 1,
    },
    [{ address: hostname, port, hostname, path }],
    {
      signal: new AbortController().signal,
      onProgress: (elapsedMs, sent) => {
        if (elapsedMs >= WARM_UP_MS) marks.push({ elapsedMs, sent });
      },
    },
  );
  if (report.failures.length > 0) throw new Error(`Requests failed: ${JSON.stringify(report.failures)}`);
  const answered = report.answered.reduce((sum, count) => sum + count, 0);
  if (report.answered[2] !== answered) throw new Error(`Answers by hundreds of status: ${report.answered}`);
  const [warm] = marks;
  if (warm === undefined) throw new Error("The load was over before it was warm");
  const lateness = ratePerSecond === null ? null : readLatencies([report.generator.lateness]);
  return {
    requestsPerSecond: (report.sent - warm.sent) / (report.elapsedMs - warm.elapsedMs) * 1000,
    waitShare: report.generator.waitShare,
    latenessP50Ms: lateness?.percentileMs(50) ?? null,
    latenessP99Ms: lateness?.percentileMs(99) ?? null,
    latenessMaxMs: lateness?.maxMs ?? null,
  };
}

async function hold({ port, connections, burst }: CrowdOrder): Promise<CrowdAnswer> {
  const crowd = await generator.crowd(
    { client: "epoll", connections, behaviour: { kind: "idle" }, burst, timeoutMs: null },
    [{ address: hostname, port, hostname, path: "/" }],
    { signal: new AbortController().signal },
  );
  held.use(crowd);
  const residentBytes = Deno.memoryUsage().rss;
  const { open } = await crowd.counts();
  if (open !== connections) throw new Error(`Only ${open} of ${connections} are open`);
  const rows = await crowd.rows();
  // By the clock of the crowd, which does not know of the thread that had to start before it.
  const lastMs = rows.reduce((latest, { openMs }) => Math.max(latest, openMs ?? 0), 0);
  return { openMs: lastMs - rows[0]!.startMs, residentBytes };
}

using lifeline = new Lifeline();
for (let line = await lifeline.nextLine(); line !== null; line = await lifeline.nextLine()) {
  const order: LoadOrder | CrowdOrder = JSON.parse(line);
  console.log(JSON.stringify(await (order.kind === "load" ? load(order) : hold(order))));
}
