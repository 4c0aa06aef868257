import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { changesOf, expectedChanges, rowsOf, timesOf } from "./changes.ts";
import { includes, type Part, type Values } from "./params.ts";
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
  if (run.values.clients < 2) return notMeasured("One client shares nothing: --clients 3");
  const { opened, accepted } = poolOf(run, "shared");
  if (opened !== accepted) {
    return notMeasured(`The client opened ${opened} connections, and the server accepted ${accepted}`);
  }
  const { clients } = run.values;
  return opened === 1
    ? holds(1, `${clients} clients on one pool, one connection as both ends counted`)
    : differs(opened, `${clients} clients on one pool opened ${opened} connections`);
}

function poolOf({ tables }: View, variant: Variant): { readonly opened: number; readonly accepted: number } {
  const pools = tables.pools!;
  const [row] = rowsOf(pools, variant) as [number];
  return { opened: pools.numbers("opened")[row]!, accepted: pools.numbers("accepted")[row]! };
}

/**
 * The connection changes at the first request at or after its lifetime and at no other; a new client port and
 * one name resolution for each connection; the server saw the same.
 */
function judgeRotation(run: View): Judgement {
  const why = whyNotMeasured(run, "rotation", ["rotation"]);
  if (why !== null) return notMeasured(why);
  const { values, tables } = run;
  const requests = tables.requests!;
  const rows = rowsOf(requests, "rotation");
  if (rows.length < values.requests) return notMeasured(`Only ${rows.length} requests were made`);
  const { orders: expected, slackMs } = expectedChanges(values);
  if (expected.length === 0) {
    const needed = Math.ceil(values.lifetime / values.interval) + 1;
    return notMeasured(`No request was due at or after the lifetime: --requests ${needed}`);
  }
  const changes = changesOf(requests);
  const { opened, accepted } = poolOf(run, "rotation");
  if (changes.join() !== expected.join()) {
    const lateMs = latenessMs(run, ["rotation"]);
    if (lateMs >= slackMs) {
      return notMeasured(
        `A request began ${
          Math.round(lateMs)
        } ms late, and ${slackMs} ms decide whether a connection is used`,
      );
    }
    return differs(opened, `It changed at ${timesOf(changes, values)}, not at ${timesOf(expected, values)}`);
  }
  const ports = new Set(rows.map((row) => requests.numbers("clientPort")[row]!)).size;
  const resolutions = rowsOf(tables.resolutions!, "rotation").length;
  const connections = changes.length + 1;
  const counts = { ports, resolutions, "connections opened": opened, "connections accepted": accepted };
  for (const [what, count] of Object.entries(counts)) {
    if (count !== connections) return differs(count, `${count} ${what} for ${connections} connections`);
  }
  const unlike = disagreements(run, "rotation");
  if (unlike > 0) return notMeasured(`Client and server disagree on the port of ${unlike} requests`);
  return holds(
    connections,
    `It changed at ${timesOf(changes, values)}, with a new client port and one name resolution each`,
  );
}

/** How late the latest request began of those that were due at a time, in the experiment's time. */
function latenessMs({ tables, values }: View, variants: readonly Variant[]): number {
  const requests = tables.requests!;
  const [dueMs, startMs] = [requests.numbers("dueMs"), requests.numbers("startMs")];
  const late = variants.flatMap((variant) => rowsOf(requests, variant))
    .filter((row) => !Number.isNaN(dueMs[row])).map((row) => startMs[row]! - dueMs[row]!);
  return Math.max(0, ...late) * values.speed;
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
  let longestMs = 0;
  for (const variant of MOVING_VARIANTS) {
    const { ms, reason, requests, toOld, watchedMs } = timeToMove(tables, variant, values);
    if (requests === 0) return notMeasured(`${variant}: ${reason}`);
    if (watchedMs < boundMs) return notMeasured(`The run ended ${Math.round(watchedMs)} ms after the move`);
    if (variant.startsWith("none/")) {
      if (toOld === requests) continue;
      return differs(requests - toOld, `${variant}: ${requests - toOld} of ${requests} requests moved`);
    }
    if (ms === null) return differs(toOld, `${variant}: ${reason}`);
    if (ms > boundMs) {
      const lateMs = latenessMs(run, MOVING_VARIANTS);
      const late = `${variant}: ${Math.round(ms)} ms passed, more than ${boundMs}`;
      if (ms > boundMs + lateMs) return differs(ms, late, { unit: "ms" });
      return notMeasured(`${late}, and a request began ${Math.round(lateMs)} ms late`);
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
    `Without a lifetime no request moved; with one all did, within ${boundMs} ms; a resolution a connection`,
    { unit: "ms" },
  );
}
