import { shuffle } from "../../stats/mod.ts";
import { pause } from "../../system/mod.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { warnOfOther } from "../_shared/unknown_failure.ts";
import type { MeasureContext, ServerHandles } from "../contract.ts";
import { findMismatch } from "./accounts.ts";
import { type Asker, openAsker, type Target } from "./askers.ts";
import { type CellRow, type FlowRecord, joiner, type Pair, type Visit } from "./cell.ts";
import { chainRows } from "./chain_rows.ts";
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

const PROGRESS_STEPS = 40;

/** A pair that is to be made. */
interface Place {
  readonly arm: Arm;
  readonly pauseMs: number;
  readonly repeat: number;
  readonly id: number;
}

/**
 * Makes pairs of requests side by side, each over a connection of its own, with a pause between the two; then
 * asks the server and the middlebox what they saw.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  context.warn({
    ...LOOPBACK,
    remedy:
      "Add a round trip or two to what a new connection costs, and to the time in which a request can " +
      "meet the end of its connection",
  });
  for (const row of chainRows(params)) context.emit("chains", row);
  const [held] = await Promise.all([holdConnections(params, context), measurePairs(params, context)]);
  held.forEach((row) => context.emit("limits", row));
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
  const under: Promise<Pair>[] = [];
  let done = 0;
  const report = () => {
    done++;
    if (done % Math.ceil(places.length / PROGRESS_STEPS) > 0 && done < places.length) return;
    progress(done, places.length, "pairs of requests");
  };
  for (const place of places) {
    if (signal.aborted) break;
    const { arm } = place;
    const asker = clients.use(openAsker(arm, targets[arm.chain], { timeoutMs: params.timeout, now }));
    const first = asker.ask(`/visit?id=${place.id - 1}`);
    under.push(first.then(async (asked) => {
      const pair = await finish(place, asker, asked, signal);
      report();
      return pair;
    }));
    await Promise.all([first, pause(APART_MS)]);
  }
  const pairs = await Promise.all(under);
  // Asked before the clients close what they have, which would look like an end that they chose.
  await emitPairs(pairs, context);
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

async function finish(place: Place, asker: Asker, first: Pair["first"], signal: AbortSignal): Promise<Pair> {
  if (first.exchange.failure !== null) return { ...place, first, noticed: asker.noticed(), second: null };
  await pause(place.pauseMs, signal);
  const noticed = asker.noticed();
  const second = signal.aborted ? null : await asker.ask(`/visit?id=${place.id}`);
  return { ...place, first, noticed, second };
}

async function emitPairs(pairs: readonly Pair[], context: MeasureContext<Tables>): Promise<void> {
  const { origin, middlebox } = context.servers;
  const visits = await read<Visit>(`http://${origin!.hostname}:${origin!.port}/visits`);
  const flows = middlebox === undefined
    ? []
    : await read<FlowRecord>(`http://${middlebox.hostname}:${middlebox.ports[0]}/flows`);
  const join = joiner({ visits, flows });
  const cells: CellRow[] = [];
  for (const pair of pairs) {
    // A pair that an interruption has cut short tells nothing.
    if (pair.second === null && pair.first.exchange.failure === null) continue;
    const cell = join(pair);
    cells.push(cell);
    context.emit("cells", cell);
    for (const asked of [pair.first, pair.second]) if (asked !== null) warnOfOther(asked.exchange, context);
  }
  for (const visit of visits) context.emit("visits", { ...visit });
  for (const flow of flows) context.emit("flows", { ...flow });
  warnOfLatePauses(cells, context);
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

async function read<T>(url: string): Promise<readonly T[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`Cannot read ${url}: ${await response.text()}`);
  return await response.json();
}

/** Holds connections until the other side ends them, beside the pairs. */
async function holdConnections(params: Values, { servers, now, signal }: MeasureContext<Tables>) {
  const targets = targetsOf(servers);
  const options = { limitMs: Math.max(...pausesIn(params)), timeoutMs: params.timeout, now, signal };
  const chains = chainsIn(params).map(({ name }) => name).filter((name) => name !== "tuned");
  return await Promise.all(
    chains.flatMap((chain) =>
      Array.from({ length: params.repeats }, async (_, index) => ({
        ...{ chain, repeat: index + 1 },
        ...await holdIdle(targets[chain], options),
      }))
    ),
  );
}
