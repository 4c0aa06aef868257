import { shuffle } from "../../stats/mod.ts";
import { pause } from "../../system/mod.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { warnOfOther } from "../_shared/unknown_failure.ts";
import type { MeasureContext, ServerHandles } from "../contract.ts";
import { findMismatch } from "./accounts.ts";
import { type Asker, openAsker, type Target } from "./askers.ts";
import { type Asked, cellOf, type CellRow, type PairRow, pairRow } from "./cell.ts";
import { chainRows } from "./chain_rows.ts";
import { type FlowRecord, joiner, type Visit } from "./fate.ts";
import { type Arm, armsIn, chainsIn, pausesIn } from "./grid.ts";
import { holdIdle } from "./hold.ts";
import type { Values } from "./params.ts";
import { AT_LIMIT_MS } from "./pauses.ts";
import type { Tables } from "./tables.ts";

/**
 * How far apart pairs begin at least, in milliseconds. What is asked together is answered one after another, and
 * would wait for the lab and not for the server.
 */
const APART_MS = 1;

/** How often progress is told, in milliseconds. With it go the rows of what is over: a kill loses no more. */
const PROGRESS_INTERVAL_MS = 250;

/** A pair that is to be made. */
interface Place {
  readonly arm: Arm;
  readonly pauseMs: number;
  readonly repeat: number;
  readonly id: number;
}

/** A pair that is over, as its client saw it. */
interface Made {
  readonly arm: Arm;
  readonly row: PairRow;
}

/**
 * Makes pairs of requests side by side, each over a connection of its own, with a pause between the two; then
 * asks the server and the middlebox what they saw. What a client saw of a pair is a row as soon as the pair is over:
 * it is kept when the rest of the run is not.
 *
 * @param params the parameters
 * @param context where rows and progress go
 * @throws {Error} the server or the middlebox cannot be asked
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  context.warn({
    ...LOOPBACK,
    remedy:
      "Add a round trip or two to what a new connection costs, and to the time in which a request can " +
      "meet the end of its connection",
  });
  for (const row of chainRows(params)) context.emit("chains", row);
  await Promise.all([holdConnections(params, context), measurePairs(params, context)]);
}

/** Where the pairs of each chain go. The last two ports of the origin keep them apart in its counts. */
function targetsOf({ origin, middlebox }: ServerHandles): Record<Arm["chain"], Target> {
  const { hostname, ports } = origin!;
  const direct = { hostname, port: ports[0]! };
  const through = middlebox === undefined ? direct : { hostname: middlebox.hostname, port: middlebox.port };
  return { direct, middlebox: through, tuned: through };
}

async function measurePairs(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const { signal, progress, now } = context;
  const places = placesOf(params, context);
  const targets = targetsOf(context.servers);
  using clients = new DisposableStack();
  const under: Promise<Made | null>[] = [];
  let done = 0;
  const report = () => progress(done, places.length, "pairs of requests");
  const ticking = setInterval(report, PROGRESS_INTERVAL_MS);
  clients.defer(() => clearInterval(ticking));
  for (const place of places) {
    if (signal.aborted) break;
    const { arm } = place;
    const asker = clients.use(openAsker(arm, targets[arm.chain], { timeoutMs: params.timeout, now }));
    const first = asker.ask(`/visit?id=${place.id - 1}`);
    under.push(first.then(async (asked) => {
      const row = await finish(place, asker, asked, context);
      done++;
      return row === null ? null : { arm, row };
    }));
    await Promise.all([first, pause(APART_MS)]);
  }
  const made = (await Promise.all(under)).filter((pair) => pair !== null);
  report();
  // Asked before the clients close what they have, which would look like an end that they chose.
  await emitFates(made, context);
}

/** Every pair of the grid, numbered, in an order drawn from the seed. */
function placesOf(params: Values, { random }: MeasureContext<Tables>): Place[] {
  const grid = pausesIn(params).flatMap((pauseMs) =>
    armsIn(params).flatMap((arm) =>
      Array.from({ length: params.repeats }, (_, index) => ({ arm, pauseMs, repeat: index + 1 }))
    )
  );
  return shuffle(grid, random).map((place, index) => ({ ...place, id: 2 * (index + 1) }));
}

/** @returns the row of the pair; `null` for one that an interruption has cut short, which tells nothing */
async function finish(
  place: Place,
  asker: Asker,
  first: Asked,
  context: MeasureContext<Tables>,
): Promise<PairRow | null> {
  const { signal } = context;
  const isAnswered = first.exchange.failure === null;
  if (isAnswered) await pause(place.pauseMs, signal);
  if (isAnswered && signal.aborted) return null;
  const noticed = asker.noticed();
  const second = isAnswered ? await asker.ask(`/visit?id=${place.id}`) : null;
  const row = pairRow({ ...place, first, noticed, second });
  context.emit("pairs", row);
  for (const asked of [first, second]) if (asked !== null) warnOfOther(asked.exchange, context);
  return row;
}

/** Asks the other ends what they saw, and holds that against what the clients saw. */
async function emitFates(made: readonly Made[], context: MeasureContext<Tables>): Promise<void> {
  const { origin, middlebox } = context.servers;
  const visits = await read<Visit>("server", `http://${origin!.hostname}:${origin!.port}/visits`);
  for (const visit of visits) context.emit("visits", { ...visit });
  const flows = middlebox === undefined
    ? []
    : await read<FlowRecord>("middlebox", `http://${middlebox.hostname}:${middlebox.ports[0]}/flows`);
  for (const flow of flows) context.emit("flows", { ...flow });
  const join = joiner({ visits, flows });
  const cells = made.map(({ arm, row }) => {
    const fate = join(row, arm.clientIdleMs);
    context.emit("fates", fate);
    return cellOf(row, fate);
  });
  warnOfLatePauses(cells, context);
  warnOfResent(cells, context);
  const mismatch = context.signal.aborted ? null : findMismatch(cells, visits.map(({ id }) => id));
  if (mismatch === null) return;
  context.warn({
    code: "accounts",
    message: `What was sent and what was received do not add up: ${mismatch}`,
    remedy: "Do not rely on this run: measure again, and report it if it stays",
  });
}

/** A pause that this machine made longer may lie on the other side of a limit: that is not the server's. */
function warnOfLatePauses(cells: readonly CellRow[], { warn }: MeasureContext<Tables>): void {
  const lateMs = cells.map(({ idleMs, pauseMs }) => (idleMs ?? 0) - pauseMs!).filter((ms) =>
    ms > AT_LIMIT_MS
  );
  if (lateMs.length === 0) return;
  warn({
    code: "late-pauses",
    message: `${lateMs.length} of ${cells.length} pauses were longer than they were meant to be, by up to ` +
      `${Math.round(Math.max(...lateMs))} ms: this machine was busy`,
    remedy: "End other work and measure again, or go by how long connections were idle (idleMs)",
  });
}

/**
 * What a client sends again, an end that had acted on it would act on again.
 *
 * Source: RFC 9110 §9.2.2 (a client must not repeat by itself what is not idempotent, unless it can tell that the
 * first one was not applied).
 */
function warnOfResent(cells: readonly CellRow[], { warn }: MeasureContext<Tables>): void {
  const posts = cells.filter(({ variant }) => variant!.endsWith("/POST"));
  const resent = posts.filter(({ retried }) => (retried ?? 0) > 0);
  if (resent.length === 0) return;
  const clients = new Set(resent.map(({ variant }) => variant!.split("/").slice(1, -1).join("/")));
  warn({
    code: "post-sent-again",
    message:
      `${[...clients].join(", ")} sent ${resent.length} POSTs again whose connection was lost, and told ` +
      "nobody: here the first copy had not arrived, but a server that reset after acting would have acted twice",
    remedy:
      "Give a POST a key by which the server knows it again, and let the client give connections up in " +
      "time (safeClientIdleMs)",
  });
}

/** Reads what one of the other ends recorded. */
async function read<T>(end: string, url: string): Promise<readonly T[]> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot count at both ends as the ${end} does not tell what it saw: ${words}`, {
      cause: error,
    });
  }
}

/** Holds connections until the other side ends them, beside the pairs. */
async function holdConnections(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const { servers, now, signal, emit } = context;
  const targets = targetsOf(servers);
  const options = { limitMs: Math.max(...pausesIn(params)), timeoutMs: params.timeout, now, signal };
  const chains = chainsIn(params).map(({ name }) => name).filter((name) => name !== "tuned");
  await Promise.all(
    chains.flatMap((chain) =>
      Array.from({ length: params.repeats }, async (_, index) => {
        const held = await holdIdle(targets[chain], options);
        emit("limits", { chain, repeat: index + 1, ...held });
      })
    ),
  );
}
