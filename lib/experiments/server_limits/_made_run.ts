import {
  ColumnTable,
  type Metric,
  resolveParams,
  type Row,
  type RunView,
  type TableData,
} from "../../record/mod.ts";
import experiment from "./mod.ts";
import type { RunTables } from "./mode.ts";
import { params, type Values } from "./params.ts";
import { tables } from "./tables.ts";

/** An arm of a run that was never measured. */
export interface MadeArm {
  /** Its name. */
  readonly variant: string;
  /** Cells of its row that differ from those of a hundred connections that were opened. */
  readonly arm?: Row;
  /** Cells of each connection's row, by its place. */
  readonly connection?: (place: number) => Row;
  /** How many connections have a row. @default {100} */
  readonly connections?: number;
  /** Cells of each look at its server, by how many connections it held. */
  readonly reading?: (open: number) => Row;
}

/** The sizes at which a made server was looked at. */
const SIZES = [25, 50, 75, 100];

/**
 * A run as it should be, then changed.
 *
 * @param given parameters that differ from the defaults
 * @param arms its arms
 * @param defaults rows of the table of defaults
 * @returns the run, with its summary
 */
export function madeRun(
  given: Record<string, unknown>,
  arms: readonly MadeArm[],
  defaults: readonly Row[] = [],
): RunView<Values> {
  const { values, json } = resolveParams(params, given);
  const made = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  for (const arm of arms) addArm(made, arm);
  for (const row of defaults) made.defaults!.add(row);
  const summary: readonly Metric[] = experiment.summarize(made as Record<string, TableData>, values, 1);
  return {
    ...{
      id: "server-limits/x",
      status: "complete",
      seed: 1,
      summary,
      claims: [],
      warnings: [],
      environment: null,
    },
    tables: made as unknown as Record<string, TableData> & RunTables,
    params: json,
    values,
    value: (name, variant = null) =>
      summary.find((metric) => metric.name === name && metric.variant === variant)?.value ?? null,
  };
}

function addArm(
  made: Record<string, ColumnTable>,
  { variant, arm = {}, connection = () => ({}), connections = 100, reading = () => ({}) }: MadeArm,
): void {
  made.arms!.add({
    ...{ variant, client: "epoll", subject: "node", path: "/static", servers: 1, asked: 100, burst: 100 },
    ...{ begun: 100, opened: 100, failed: 0, watchedMs: 5000, lostShards: 0 },
    ...arm,
  });
  for (let place = 0; place < connections; place++) {
    made.connections!.add({
      ...{ variant, shard: 0, connection: place, startMs: 0, openMs: 10, connectMs: 1, sentBytes: 50 },
      ...connection(place),
    });
  }
  for (const open of SIZES) {
    made.readings!.add({
      ...{ variant, moment: "held", server: 0, seenMs: open, open, accepted: open + 1, active: open + 1 },
      ...{ inFlight: 1, requests: open, atServer: open, atClient: open, queued: 0 },
      ...{ rssBytes: 50_000_000 + 10_000 * open, clientRssBytes: 1, clientCpuMs: 1, cpuMs: 1 },
      ...reading(open),
    });
  }
}
