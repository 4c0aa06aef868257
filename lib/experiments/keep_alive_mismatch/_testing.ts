import { ColumnTable, judge, type Row, type RunView, type TableData } from "../../record/mod.ts";
import type { CellRow } from "./cell.ts";
import { chainRows } from "./chain_rows.ts";
import { type Arm, armsIn, pausesIn } from "./grid.ts";
import experiment from "./mod.ts";
import { outcomeOf } from "./outcome.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";

/** Parameters as a default run has them, changed. */
export function valuesWith(changes: Partial<Values> = {}): Values {
  return {
    ...{ serverIdle: 5000, clientIdle: 30_000, middleboxIdle: 2000, forget: "reset", stack: "node" },
    ...{ pauses: null, longestPause: 10_000, repeats: 2, timeout: 2000, gaps: { gapsMs: [500, 3000, 8000] } },
    ...changes,
  };
}

/** A pair that was answered twice over one connection, changed. Its outcome is what follows. */
export function cellWith(changes: Partial<CellRow>): CellRow {
  const { pauseMs = 1000 } = changes;
  const cell = {
    ...{ variant: "direct/raw/never/GET", pauseMs, repeat: 1, id: 2, idleMs: pauseMs },
    ...{ firstElapsedMs: 2, firstFailureKind: null, firstReceived: 1, noticed: "none" },
    ...{
      startMs: 0,
      elapsedMs: 1,
      status: 200,
      failurePhase: null,
      failureKind: null,
      failureSide: null,
      labels: null,
    },
    ...{ reused: true, ageMs: pauseMs! + 2, attempts: 1, sameConnection: null, retried: 0, received: 1 },
    ...{ forgotten: null },
    ...{ closedBy: null, closedHow: null, outcome: null },
    ...changes,
  };
  const { firstFailureKind, failureKind, reused, retried, received } = cell;
  return {
    ...cell,
    outcome: outcomeOf({ firstFailureKind, failureKind, reused, retried: retried!, received: received! }),
  };
}

type Change = (cell: CellRow) => Partial<CellRow>;

/** What a pair met whose client had given the connection up. */
export const ENDED_BY_CLIENT = { reused: false, ageMs: null, elapsedMs: 3, closedBy: "client" };

/** What becomes of a pair where the middlebox forgets after 2 s and the server closes after 6 s. */
function fate({ chain, client, method, clientIdleMs }: Arm, pauseMs: number): Partial<CellRow> {
  if (pauseMs > clientIdleMs) return ENDED_BY_CLIENT;
  if (chain === "middlebox" && pauseMs > 2000) {
    const forgotten = { forgotten: true, closedBy: "middlebox", closedHow: "reset" };
    if (client === "fetch" || client === "raw/retry" && method === "GET") {
      return { ...forgotten, retried: 1, elapsedMs: 4 };
    }
    return { ...forgotten, status: null, failurePhase: "wait", failureKind: "reset", received: 0 };
  }
  return pauseMs > 6000 ? { ...ENDED_BY_CLIENT, noticed: "fin", closedBy: "server", closedHow: "fin" } : {};
}

/** The tables of a run as it should be; then changed. */
export function runTables(values: Values, change: Change = () => ({})): Record<string, TableData> {
  const made = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  let id = 0;
  for (const arm of armsIn(values)) {
    for (const pauseMs of pausesIn(values)) {
      for (let repeat = 1; repeat <= values.repeats; repeat++) {
        id += 2;
        const base = cellWith({ variant: arm.variant, pauseMs, repeat, id, ...fate(arm, pauseMs) });
        const cell = cellWith({ ...base, ...change(base) });
        made.pairs!.add(cell);
        made.fates!.add(cell);
        const visit = { method: arm.method, connection: 1, clientPort: 1, atMs: 0 };
        for (let count = 0; count < cell.firstReceived!; count++) made.visits!.add({ id: id - 1, ...visit });
        for (let count = 0; count < cell.received!; count++) made.visits!.add({ id, ...visit });
      }
    }
  }
  for (const row of chainRows(values)) made.chains!.add(row as Row);
  const held = { repeat: 1, advertisedMs: 5000, watchedMs: 10_000 };
  made.limits!.add({ chain: "direct", ...held, observedMs: 6001, how: "fin" });
  made.limits!.add({ chain: "middlebox", ...held });
  return made;
}

/** A run as it should be; then changed. */
export function view(changes: Partial<Values> = {}, change?: Change): RunView {
  const values = valuesWith(changes);
  const made = runTables(values, change);
  return {
    ...{ id: "keep-alive-mismatch/x", status: "complete", seed: 1, claims: [], warnings: [] },
    ...{ environment: null, tables: made, value: () => null, values },
    params: { repeats: values.repeats, stack: values.stack },
    summary: experiment.summarize(made, values, 1),
  } as unknown as RunView;
}

/** A metric of a run. */
export function value(run: RunView, name: string, variant: string): number | null {
  return run.summary.find((metric) => metric.name === name && metric.variant === variant)!.value;
}

/** What a run says of a claim. */
export function verdict(run: RunView, claim: string): string {
  return judge(experiment.claims!, run).find(({ id }) => id === claim)!.verdict;
}

/** Why. */
export function reason(run: RunView, claim: string): string {
  return judge(experiment.claims!, run).find(({ id }) => id === claim)!.reason!;
}

/** Whether a pair went through the middlebox from a client without retry. */
export const isPlain = ({ variant }: CellRow) => variant!.startsWith("middlebox/raw/never/");
/** The pauses of a default run. */
export const GRID = pausesIn(valuesWith());
/** How many of them are longer than the limit of the middlebox. */
export const BEYOND = GRID.filter((pauseMs) => pauseMs > 2000).length;
