import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { changesOf, expectedChanges, rowsOf, timesOf } from "./changes.ts";
import { includes, type Part, type Values } from "./params.ts";
import { busyAnswerMs } from "./plan.ts";
import { timeToMove } from "./time_to_move.ts";
import { MOVING_VARIANTS, type Variant } from "./variants.ts";

type View = RunView<Values>;

/** What source A states about lifetimes of connections. */
export const claims: readonly Claim<Values>[] = [
  claim("A5", "Three clients on one handler: one connection", judgeShared),
  claim(
    "A6",
    "One request a second, 7 of them, lifetime 2.5 s: the connection changes at t = 3 and t = 6",
    judgeRotation,
  ),
  claim(
    "A15",
    "A client that never reconnects keeps going to the old address after a DNS change",
    judgeMove,
  ),
];

/** Why the requests of a variant are no evidence; `null` when they are. */
function whyNoEvidence({ tables }: View, variant: Variant): string | null {
  const kinds = tables.requests!.texts("failureKind");
  const rows = rowsOf(tables.requests!, variant);
  const failed = rows.filter((row) => kinds[row] !== null).length;
  if (failed > 0) return `${variant}: ${failed} requests failed`;
  const isOver = rows.length > 0 && rowsOf(tables.pools!, variant).length > 0;
  return isOver ? null : `${variant}: it did not come to its end`;
}

function whyNotMeasured(run: View, part: Part, variants: readonly Variant[]): string | null {
  if (!includes(run.values, part)) return `Run with --part ${part}, or all`;
  return variants.map((variant) => whyNoEvidence(run, variant)).find((why) => why !== null) ?? null;
}

/** Connections = 1. */
function judgeShared(run: View): Judgement {
  const why = whyNotMeasured(run, "shared", ["shared"]);
  if (why !== null) return notMeasured(why);
  const { tables, values: { clients } } = run;
  if (clients < 2) return notMeasured("One client shares nothing: --clients 3");
  const users = new Set(
    rowsOf(tables.requests!, "shared").map((row) => tables.requests!.numbers("client")[row]),
  );
  if (users.size < clients) return notMeasured(`Only ${users.size} of ${clients} clients made a request`);
  const { opened, accepted } = poolOf(run, "shared");
  if (opened !== accepted) {
    return notMeasured(`The client opened ${opened} connections, and the server accepted ${accepted}`);
  }
  return opened === 1
    ? holds(1, `1 connection for ${clients} clients on one pool, as both ends counted`)
    : differs(opened, `${opened} connections for ${clients} clients on one pool`);
}

function poolOf({ tables }: View, variant: Variant): { readonly opened: number; readonly accepted: number } {
  const pools = tables.pools!;
  const [row] = rowsOf(pools, variant) as [number];
  return { opened: pools.numbers("opened")[row]!, accepted: pools.numbers("accepted")[row]! };
}

/**
 * The connection changes at the first request at or after its lifetime and at no other; a new client port and
 * one name resolution for each connection; the server saw the same. A machine that is late may change all that.
 */
function judgeRotation(run: View): Judgement {
  const why = whyNotMeasured(run, "rotation", ["rotation"]);
  if (why !== null) return notMeasured(why);
  const { values, tables } = run;
  const made = rowsOf(tables.requests!, "rotation").length;
  if (made < values.requests) return notMeasured(`Only ${made} requests were made`);
  const { orders: expected, slackMs } = expectedChanges(values);
  if (expected.length === 0) {
    const needed = Math.ceil(values.lifetime / values.interval) + 1;
    return notMeasured(`No request was due at or after the lifetime: --requests ${needed}`);
  }
  const judgement = compareChanges(run, expected);
  const lateMs = Math.round(latenessMs(run, ["rotation"]));
  if (judgement.verdict !== "differs" || lateMs < slackMs) return judgement;
  const late = `a request was ${lateMs} ms late, and ${slackMs} ms decide whether a connection is used`;
  return notMeasured(`${judgement.reason}; but ${late}`);
}

function compareChanges(run: View, expected: readonly number[]): Judgement {
  const { values, tables } = run;
  const requests = tables.requests!;
  const changes = changesOf(requests);
  const { opened, accepted } = poolOf(run, "rotation");
  if (changes.join() !== expected.join()) {
    return differs(
      opened,
      `${opened} connections: it changed at ${timesOf(changes, values)}, not at ${timesOf(expected, values)}`,
    );
  }
  const ports = rowsOf(requests, "rotation").map((row) => requests.numbers("clientPort")[row]!);
  const resolutions = rowsOf(tables.resolutions!, "rotation").length;
  const connections = changes.length + 1;
  const counts = {
    ...{ ports: new Set(ports).size, resolutions },
    ...{ "connections opened": opened, "connections accepted": accepted },
  };
  for (const [what, count] of Object.entries(counts)) {
    if (count !== connections) return differs(count, `${count} ${what} for ${connections} connections`);
  }
  const unlike = disagreements(run, "rotation");
  if (unlike > 0) return notMeasured(`Client and server disagree on the port of ${unlike} requests`);
  return holds(
    connections,
    `${connections} connections: it changed at ${
      timesOf(changes, values)
    }, with a new client port and one name ` +
      "resolution each",
  );
}

/**
 * How late the latest request was done, of those of some variants, in the experiment's time: it began late, or
 * opening its connection or its answer took long. By no more than that can a connection be older or younger than
 * planned when the next request asks for it.
 */
function latenessMs({ tables, values }: View, variants: readonly Variant[]): number {
  const requests = tables.requests!;
  const [dueMs, startMs, elapsedMs] = ["dueMs", "startMs", "elapsedMs"]
    .map((name) => requests.numbers(name)) as [Float64Array, Float64Array, Float64Array];
  const answerMs = busyAnswerMs(values);
  const lateMs = (row: number) =>
    Number.isNaN(dueMs[row]) ? elapsedMs[row]! - answerMs : startMs[row]! + elapsedMs[row]! - dueMs[row]!;
  return values.speed * variants.flatMap((variant) => rowsOf(requests, variant))
    .reduce((latest, row) => Math.max(latest, lateMs(row)), 0);
}

/** How many requests of a variant the server saw coming to another address, from another port, or not at all. */
function disagreements({ tables }: View, variant: Variant): number {
  const [requests, visits] = [tables.requests!, tables.visits!];
  const seen = new Map([...visits.rows()].map((visit) => [visit.id, `${visit.address} ${visit.clientPort}`]));
  const [ids, ports] = [requests.numbers("id"), requests.numbers("clientPort")];
  const addresses = requests.texts("address");
  return rowsOf(requests, variant)
    .filter((row) => !Number.isNaN(ids[row]) && seen.get(ids[row]!) !== `${addresses[row]} ${ports[row]}`)
    .length;
}

/** Never without a lifetime, within at most lifetime + one interval with it; resolutions = connections opened. */
function judgeMove(run: View): Judgement {
  const why = whyNotMeasured(run, "blue-green", MOVING_VARIANTS);
  if (why !== null) return notMeasured(why);
  const { values } = run;
  const tables = run.tables as Parameters<typeof timeToMove>[0];
  const boundMs = values.lifetime + values.interval;
  // Opening, the last request to the old address and the first to the new one may each be that late.
  const latestMs = boundMs + 3 * latenessMs(run, MOVING_VARIANTS);
  let longestMs = 0;
  for (const variant of MOVING_VARIANTS) {
    const { ms, reason, requests, toOld, watchedMs } = timeToMove(tables, variant, values);
    if (requests === 0) return notMeasured(`${variant}: ${reason}`);
    if (watchedMs <= 0) {
      return notMeasured(
        "This machine was so late that the name moved after the last request: lower --speed",
      );
    }
    if (watchedMs < boundMs) return notMeasured(`The run ended ${Math.round(watchedMs)} ms after the move`);
    if (variant.startsWith("none/")) {
      if (toOld === requests) continue;
      return differs(requests - toOld, `${variant}: ${requests - toOld} of ${requests} requests moved`);
    }
    if (ms === null || ms > boundMs) {
      const seen = `${variant}: ${reason ?? `${Math.round(ms!)} ms passed, more than ${boundMs}`}`;
      if ((ms ?? watchedMs) > latestMs) {
        return ms === null
          ? differs(toOld, `${seen} (${toOld} requests)`)
          : differs(ms, seen, { unit: "ms" });
      }
      return notMeasured(`${seen}; but with requests as late as here it may take ${Math.round(latestMs)} ms`);
    }
    longestMs = Math.max(longestMs, ms);
  }
  for (const variant of MOVING_VARIANTS) {
    const { opened } = poolOf(run, variant);
    const resolutions = rowsOf(run.tables.resolutions!, variant).length;
    if (resolutions !== opened) {
      return differs(resolutions, `${variant}: ${resolutions} resolutions for ${opened} connections`);
    }
    const unlike = disagreements(run, variant);
    if (unlike > 0) return notMeasured(`${variant}: client and server disagree on ${unlike} requests`);
  }
  return holds(
    longestMs,
    `Without a lifetime no request moved; with one all did after ${
      Math.round(longestMs)
    } ms at the latest, and ` +
      `${boundMs} ms are allowed; a resolution a connection`,
    { unit: "ms" },
  );
}
