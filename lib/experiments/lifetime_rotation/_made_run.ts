import {
  ColumnTable,
  judge,
  resolveParams,
  type Row,
  type RunView,
  type TableData,
} from "../../record/mod.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { tables } from "./tables.ts";
import { MOVING_VARIANTS } from "./variants.ts";

/** Changes a row of a table, or leaves it out. */
export type Change = (table: string, row: Row) => Row | null;

/** The address before the name moves. */
export const OLD = "127.0.0.1";
/** The address afterwards. */
export const NEW = "127.0.0.2";

/** Tables of a run as it should be, with the default parameters; then changed, row by row. */
export class Made {
  readonly tables: Record<string, ColumnTable> = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  readonly #change: Change;
  readonly #speed: number;
  #id = 0;

  constructor(change: Change = (_, row) => row, speed = 1) {
    this.#change = change;
    this.#speed = speed;
    this.#rotation();
    this.#clients("shared", [1, 1, 1]);
    this.#clients("apart", [1, 2, 3]);
    for (const variant of MOVING_VARIANTS) this.#moving(variant);
    this.#add("moves", { hostname: "service.test", from: OLD, to: NEW, movedMs: 2750, endedMs: 7250 });
    this.#burst();
    this.#blocks();
  }

  #add(table: string, row: Row): void {
    const changed = this.#change(table, row);
    if (changed === null) return;
    const times = ["dueMs", "startMs", "movedMs", "endedMs"].filter((name) =>
      typeof changed[name] === "number"
    );
    const scaled = times.map((name) => [name, (changed[name] as number) / this.#speed] as const);
    this.tables[table]!.add({ ...changed, ...Object.fromEntries(scaled) });
  }

  #request(
    row: Row & { variant: string; order: number; startMs: number; connection: number; address: string },
  ) {
    const id = ++this.#id;
    const clientPort = 40_000 + 100 * row.variant.length + row.connection;
    this.#add("requests", { ...row, id, dueMs: row.startMs, clientPort, elapsedMs: 1, status: 200 });
    this.#add("visits", { address: row.address, id, connection: row.connection, clientPort, atMs: 0 });
  }

  /** Connections are opened one after another, and each resolves the name. */
  #pool(variant: string, opened: number, accepted: number | null): void {
    for (let count = 0; count < opened; count++) this.#add("resolutions", { variant, address: OLD });
    this.#add("pools", { variant, opened, reused: 0, aged: 0, accepted });
  }

  #rotation(): void {
    for (const [order, connection] of [1, 1, 1, 2, 2, 2, 3].entries()) {
      this.#request({ variant: "rotation", order, startMs: order * 1000, connection, address: OLD });
    }
    this.#pool("rotation", 3, 3);
  }

  #clients(variant: string, connections: number[]): void {
    for (const [order, connection] of connections.entries()) {
      this.#request({ variant, order, client: order + 1, startMs: order, connection, address: OLD });
    }
    const opened = new Set(connections).size;
    this.#pool(variant, opened, opened);
  }

  /** One connection of each: with a lifetime it moves at 5 s, 2250 ms after the name. */
  #moving(variant: string): void {
    const moves = variant.startsWith("lifetime");
    for (let order = 0; order < 8; order++) {
      const moved = moves && order >= 5;
      this.#request({
        ...{ variant, order, startMs: order * 1000 },
        ...{ connection: moved ? 2 : 1, address: moved ? NEW : OLD },
      });
    }
    this.#pool(variant, moves ? 2 : 1, null);
  }

  /** Three connections: together without jitter, 100 ms and more apart with it. */
  #burst(): void {
    for (const jitter of [0, 0.1, 0.3]) {
      for (let connection = 1; connection <= 6; connection++) {
        const first = connection <= 3;
        const atMs = first ? 0 : 2500 - 500 * jitter * (6 - connection);
        this.#add("reconnects", { jitter, connection, first, atMs, sinceMs: first ? null : 20, openMs: 0.1 });
      }
    }
  }

  /** A reconnect takes 0.9 ms longer than another request, and each lifetime has one in ten requests. */
  #blocks(): void {
    for (let round = 1; round <= 5; round++) {
      for (const [place, variant] of ["none", "1ms", "10ms"].entries()) {
        const fresh = place === 0 ? 0 : 100 / 10 ** place;
        const [reusedMs, freshMs] = [(100 - fresh) * 0.1, fresh];
        const elapsedMs = reusedMs + freshMs;
        this.#add("blocks", {
          ...{ variant, round, place, elapsedMs, requests: 100, failed: 0, fresh, freshMs, reusedMs },
        });
      }
    }
  }
}

/** The run that has these tables. */
export function view(made: Made, given: Record<string, unknown> = {}): RunView<Values> {
  const { values, json } = resolveParams(params, given);
  const data: Record<string, TableData> = made.tables;
  return {
    ...{ id: "lifetime-rotation/x", status: "complete", seed: 1, claims: [], warnings: [] },
    ...{ environment: null, tables: data, value: () => null, params: json, values },
    summary: experiment.summarize(data, values, 1),
  };
}

/** Each claim with its verdict. */
export function verdicts(run: RunView<Values>): string[] {
  return judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
}

/** Why a claim was judged as it was. */
export function reasonOf(run: RunView<Values>, id: string): string {
  return judge(experiment.claims!, run).find((claim) => claim.id === id)!.reason!;
}

/** The values of a metric, by variant. */
export function pick({ summary }: RunView<Values>, name: string): Record<string, number | null> {
  return Object.fromEntries(
    summary.filter((metric) => metric.name === name).map(({ variant, value }) => [variant, value]),
  );
}

/** A change to the rows of a table that a condition holds for. */
export function where(table: string, holds: (row: Row) => boolean, change: Row | null): Change {
  return (name, row) => name === table && holds(row) ? change && { ...row, ...change } : row;
}

/** Whether a row is that request of rotation. */
export const inRotation = (order: number) => (row: Row) => row.variant === "rotation" && row.order === order;
