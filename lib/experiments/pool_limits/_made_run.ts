import { ColumnTable, judge, type Metric, type Row, type RunView, type TableData } from "../../record/mod.ts";
import { armsOf } from "./arms.ts";
import experiment from "./mod.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";

/** Few requests. */
export const VALUES: Values = {
  ...{ maxConnections: 2, concurrency: 10, responseTime: 500, protocol: "both", idlePerHost: 2 },
  ...{ workers: 5, requestsPerWorker: 4, observeIdle: 0, stack: "node" },
};

/** Changes a row of a table. */
export type Change = (row: Row, table: string) => Row;

/** Tables of a run as it should be, then changed. */
export function runTables(
  change: Change = (row) => row,
  values: Values = VALUES,
): Record<string, ColumnTable> {
  const made = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  const add = (table: string, row: Row) => made[table]!.add(change(row, table));
  for (const arm of armsOf(values)) {
    const { variant, client, protocol, concurrency, maxConnections, maxIdle } = arm;
    const isFree = arm.requestsPerWorker > 1;
    let connections = 0;
    for (let wave = 1; wave <= arm.waves; wave++) {
      const total = concurrency * arm.requestsPerWorker;
      const kept = wave === 1 ? 0 : Math.min(maxIdle ?? concurrency, concurrency);
      const fresh = protocol === "h2" && arm.warm
        ? 1
        : Math.min(maxConnections ?? concurrency, concurrency) - kept;
      for (let order = 0; order < total; order++) {
        const round = maxConnections === null ? 0 : Math.floor(order / maxConnections);
        const isRaw = client === "raw";
        add("requests", {
          ...{
            variant,
            wave,
            order,
            startMs: 1000,
            elapsedMs: (round + 1) * arm.responseMs,
            status: 200,
          },
          connection: isRaw ? connections + 1 + order % (maxConnections ?? concurrency) : null,
          clientPort: isRaw ? 40_000 + connections + Math.min(order, fresh - 1) : null,
          reused: isRaw ? order >= fresh : null,
          queuedMs: isRaw ? round * arm.responseMs : null,
        });
      }
      connections += fresh;
      add("waves", {
        ...{ variant, client, protocol, wave, startMs: 0, requests: total, failed: 0, received: total },
        elapsedMs: (isFree ? 1 : Math.ceil(concurrency / (maxConnections ?? concurrency))) * arm.responseMs +
          5,
        ...{ connections, connectionsReason: null },
      });
    }
  }
  for (const client of ["fetch", "raw"]) {
    for (
      const setting of ["lifetime", "idle timeout", "connect timeout", "connections", "idle connections"]
    ) {
      const known = setting !== "idle timeout";
      add("defaults", {
        ...{ client, setting, value: known ? "none" : null, unit: null },
        ...{ how: known ? "observed" : null, reason: known ? "Not seen" : "Not looked for" },
      });
    }
  }
  return made;
}

/** The run that has these tables. */
export function view(made: Record<string, TableData>, values: Values = VALUES): RunView {
  const summary: readonly Metric[] = experiment.summarize(made, values, 1);
  return {
    ...{ id: "pool-limits/x", status: "complete", seed: 1, summary, claims: [], warnings: [] },
    ...{ environment: null, tables: made, value: () => null },
    ...{ params: {}, values: { ...values } },
  };
}

/** Each claim with its verdict. */
export function verdicts(run: RunView): string[] {
  return judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
}

/** A claim with its verdict on changed tables and parameters. */
export function verdict(id: string, change: Change, changed: Partial<Values> = {}): string {
  const values = { ...VALUES, ...changed };
  return verdicts(view(runTables(change, values), values)).find((one) => one.startsWith(`${id} `))!;
}

/** The value of a metric. */
export function valueOf(run: RunView, name: string, variant: string): number | null {
  return run.summary.find((metric) => metric.name === name && metric.variant === variant)!.value;
}

/** A change to the rows of one variant in one table. */
export function inRows(table: string, variant: string, change: Row | ((row: Row) => Row)): Change {
  return (row, name) => {
    if (name !== table || row.variant !== variant) return row;
    return { ...row, ...(typeof change === "function" ? change(row) : change) };
  };
}

/** Leaves rows as they are. */
export const unchanged: Change = (row) => row;

/** One change after the other. */
export function both(first: Change, second: Change): Change {
  return (row, table) => second(first(row, table), table);
}
