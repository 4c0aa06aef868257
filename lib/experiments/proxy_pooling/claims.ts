import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";
import { bootstrapRounds, type Estimate, randomSource } from "../../stats/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { CLIENTS } from "./five_clients.ts";
import type { Values } from "./params.ts";
import { predictedFailedShare } from "./predicted_failed_share.ts";
import { FIVE, type StaleVariant } from "./variants.ts";
import {
  cellsLoaded,
  type Data,
  failuresOf,
  type Loaded,
  proxyOf,
  type Shortage,
  shortagesOf,
  sumOf,
} from "./views.ts";

type View = RunView<Values>;

/** The numbers of clients that the claim compares. */
const [FEWER, MORE] = [100, 200] as const;

/** How far a predicted share of failures may be off. */
const SHARE_TOLERANCE = 0.05;

/**
 * The share of requests of which nothing may be known: that never began as no connection was free, or were cut off by the
 * end of the load. They are the last ones, which fail, and so move the other share by half of theirs.
 */
const MISSING_SHARE = 0.05;

/** The claims that `proxy-pooling` is held against. */
export const claims: readonly Claim<Values>[] = [
  claim<Values>("D1", "Pooled four times the naive proxy, more at 200 clients than at 100", judgeRatio),
  claim<Values>(
    "D2",
    "Naive fails more than a third at 200 clients, every failure for want of a local port",
    judgeShortage,
  ),
  claim<Values>(
    "D3",
    "Five client connections, one request each, one connection to the backend all along",
    judgeFive,
  ),
  claim<Values>("D4", "A failed write on a reused connection is retried once on a fresh one", judgeRetry),
];

const dataOf = ({ tables }: View) => tables as unknown as Data;

/** The ratio is above 1 with fewer clients, and greater with more of them; each by the lower end of its interval. */
function judgeRatio(run: View): Judgement {
  const ratios = run.summary.filter(({ name }) => name === "throughputRatio");
  const [fewer, more] = [FEWER, MORE].map((clients) =>
    ratios.find(({ variant }) => variant === `${clients}`)
  );
  if (fewer === undefined || more === undefined) {
    return notMeasured(`It takes both numbers of clients (--clients ${FEWER},${MORE})`);
  }
  for (const { value, reason } of [fewer, more]) if (value === null) return notMeasured(reason!);
  if (fewer.low === null || more.low === null) {
    return notMeasured("There are too few rounds for an interval (--rounds)");
  }
  const growth = growthOf(run);
  if (growth.low === null) return notMeasured("There are too few rounds of all for an interval (--rounds)");
  const words =
    [fewer, more].map(({ variant, value, low, high }) =>
      `${value!.toFixed(2)} times (${low!.toFixed(2)} to ${high!.toFixed(2)}) at ${variant} clients`
    ).join(", ") +
    `, which is a growth of ${growth.value.toFixed(2)} (${growth.low.toFixed(2)} to ${
      growth.high!.toFixed(2)
    }); stated 4 times`;
  for (const { value, low, high } of [fewer, more]) {
    if (high! < 1) return differs(value!, `The pool is no gain: ${words}`);
    if (low! <= 1) return notMeasured(`The rounds do not tell (--rounds): ${words}`);
  }
  if (growth.high! <= 1) return differs(more.value!, `The gain is no greater with more clients: ${words}`);
  if (growth.low <= 1) return notMeasured(`The rounds do not tell whether it grows (--rounds): ${words}`);
  return holds(more.value!, words);
}

/** By what factor the ratio grows, over rounds of all four. */
function growthOf(run: View): Estimate {
  const cells = cellsLoaded(dataOf(run));
  const rates = (path: string, clients: number): Loaded["rates"] =>
    cells.find((cell) => cell.path === path && cell.clients === clients)!.rates;
  const all = [FEWER, MORE].flatMap((clients) => [rates("naive", clients), rates("pooled", clients)]);
  const rounds = [...all[0]!.keys()].filter((round) => all.every((own) => own.has(round)));
  const growth = (drawn: ArrayLike<number>) => {
    const [naive, pooled, naiveOfMore, pooledOfMore] = all.map((own) =>
      Array.from(drawn).reduce((sum, place) => sum + own.get(rounds[place]!)!, 0)
    ) as [number, number, number, number];
    return (pooledOfMore / naiveOfMore) / (pooled / naive);
  };
  return bootstrapRounds(rounds.length, growth, { random: randomSource(run.seed) });
}

/** Predicted = observed, and every failure is the proxy's want of a port, which its clients see as 503. */
function judgeShortage(run: View): Judgement {
  const tables = dataOf(run);
  const shortages = shortagesOf(tables);
  const [naive, pooled] = ["naive", "pooled"].map((path) =>
    shortages.find(({ loaded }) => loaded.path === path)
  );
  if (naive === undefined || pooled === undefined) return notMeasured("The run ended before ports ran short");
  const { loaded, ports, successesBeforeFailure } = naive;
  for (const { loaded: { variant, unsent, unfinished, ended } } of [naive, pooled]) {
    const missing = unsent + unfinished;
    if (missing <= MISSING_SHARE * ended && ended > 0) continue;
    return notMeasured(
      `${variant}: ${missing} requests found no connection of the client free, or no answer before the load ended ` +
        "(--ports, --duration)",
    );
  }
  const [predicted, observed] = [
    predictedFailedShare(naive),
    (loaded.ended - loaded.answered) / loaded.ended,
  ];
  const words =
    `Of ${loaded.ended} requests ${share(observed)} failed, ${
      share(predicted)
    } predicted of ${ports} ports; ` +
    `${successesBeforeFailure ?? loaded.ended} succeeded before the first failure${atWholeRange(run)}`;
  const other = otherCause(tables, naive);
  if (other !== null) return differs(observed, `${words}; ${other}`);
  const inPool = pooled.loaded.ended - pooled.loaded.answered;
  if (inPool > 0) return differs(observed, `${words}; with the pool ${inPool} failed too`);
  return Math.abs(observed - predicted) <= SHARE_TOLERANCE
    ? holds(observed, `${words}; each for want of a port of the proxy's, and with the pool none failed`)
    : differs(observed, words);
}

/** What is in the failures beside ports of the proxy; `null` when nothing is. */
function otherCause(tables: Data, { loaded, refusals }: Shortage): string | null {
  const { variant, refused, unfinished } = loaded;
  const failures = failuresOf(tables, variant);
  const other = failures.find(({ seenBy, kind, side, phase }) =>
    seenBy === "client" || kind !== "local-ports-exhausted" || side !== "client" || phase !== "connect"
  );
  if (other !== undefined) {
    return `${other.count}: ${other.kind} in phase ${other.phase}, seen by the ${other.seenBy}`;
  }
  if (refusals.some((status) => status !== 503)) return `it answered with ${refusals.join(" and ")}`;
  const counted = failures.reduce((sum, { count }) => sum + count, 0);
  // The client ends the load while the last ones are on their way.
  return counted < refused || counted > refused + unfinished
    ? `the proxy counted ${counted} failures, and its clients ${refused}`
    : null;
}

/** What the same comes to for all ports of the machine. */
function atWholeRange({ summary }: View): string {
  const of = (name: string) =>
    summary.filter((one) => one.name === name && one.variant?.startsWith("machine/")).at(-1);
  const [failed, lasting] = [of("predictedFailedShare"), of("portsLastMs")];
  if (typeof failed?.value !== "number" || typeof lasting?.value !== "number") return "";
  return `; with all ports that the system gives, the proxy without a pool is out of them after ${
    (lasting.value / 1000).toFixed(1)
  } s at ${failed.variant!.split("/").at(-1)} clients, and ${
    share(failed.value)
  } fail within TIME_WAIT (predicted)`;
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

/** As many connections of clients as requests, and one to the backend, after each of them. */
function judgeFive(run: View): Judgement {
  const looks = [...dataOf(run).hops.rows()] as Record<string, number>[];
  const proxy = proxyOf(dataOf(run), FIVE);
  if (looks.length < CLIENTS || proxy === null) {
    return notMeasured("The run ended before there were five clients");
  }
  for (const { requests, status, clientConnections, backendConnections } of looks) {
    if (status !== 200) return notMeasured(`Request ${requests} was answered with ${status}`);
    const words = `${clientConnections} client connections and ${backendConnections} to the backend after ` +
      `${requests} requests`;
    if (clientConnections !== requests || backendConnections !== 1) {
      return differs(backendConnections!, words);
    }
  }
  const words =
    `By the socket table after each request: ${CLIENTS} client connections at last, and 1 to the backend; ` +
    `by the proxy's count ${proxy.opened} in all`;
  return proxy.opened === 1 ? holds(1, words) : differs(proxy.opened, words);
}

/** With the retry nothing fails and retries = stale reuses; without it something fails; both ways of dying are met. */
function judgeRetry(run: View): Judgement {
  const tables = dataOf(run);
  const of = (variant: StaleVariant) => {
    const proxy = proxyOf(tables, variant);
    if (proxy === null) return null;
    const { staleWrites, staleReads, retriedWrites, retriedReads } = proxy;
    return {
      failed: sumOf([...tables.pauses.rows()].filter((row) => row.variant === variant), "failed"),
      ...{ writes: staleWrites, reads: staleReads, retried: retriedWrites + retriedReads },
      isEven: staleWrites === retriedWrites && staleReads === retriedReads,
    };
  };
  const [on, off] = [of("stale/retry-on"), of("stale/retry-off")];
  if (on === null || off === null) {
    return notMeasured("It takes a proxy with the retry and one without (--retry-stale both)");
  }
  const words = [["with", on], ["without", off]] as const;
  const seen = words.map(([name, { writes, reads, retried, failed }]) =>
    `${name} the retry ${writes} writes and ${reads} reads failed on kept connections, ${retried} requests were sent ` +
    `again, ${failed} failures reached the client`
  ).join("; ");
  if ([on, off].some(({ writes, reads }) => writes === 0 || reads === 0)) {
    return notMeasured(`Not both were met, a write and a read that fails on a kept connection: ${seen}`);
  }
  const fits = on.failed === 0 && on.isEven && off.retried === 0 && off.failed === off.writes + off.reads;
  return fits ? holds(on.retried, seen) : differs(on.failed, seen);
}
