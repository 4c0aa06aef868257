import {
  ColumnTable,
  judge,
  type Metric,
  type Row,
  type RunView,
  type TableData,
  type Warning,
} from "../../record/mod.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import experiment from "./mod.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";
import { measuredVariants, partsOf, type Variant } from "./variants.ts";

/** A change to a row of a run as it should be. */
export type Change = (row: Row) => Row;

const VALUES: Values = {
  ...{ requests: 3, rounds: 6, client: "both", stack: "auto", keyType: "ecdsa-p256", alpn: "http/1.1" },
  ...{ bodyBytes: 1, target: null, plainTarget: null, ca: null },
};

/** How long the rounds of each variant take at first: the ratio is 2 over plain connections, 5 over TLS. */
const ROUND_MS: Readonly<Record<string, number>> = {
  "plain/new": 2,
  "plain/shared": 1,
  "tls/new": 5,
  "tls/resumed": 3,
  "tls/shared": 1,
};

/** What a run is made of, with what differs from one as it should be. */
interface Given {
  readonly values?: Partial<Values>;
  readonly rounds?: number;
  readonly change?: Change;
  readonly warnings?: readonly Warning[];
}

/** A run on built tables; as it should be, but for what is given. */
export function runOf(
  { values: changed = {}, rounds = 6, change = (row) => row, warnings = [LOOPBACK] }: Given = {},
) {
  const values = { ...VALUES, ...changed };
  const made: Record<string, ColumnTable> = {};
  for (const [name, schema] of Object.entries(tables)) made[name] = new ColumnTable(name, schema);
  for (let round = 1; round <= rounds; round++) {
    for (const [place, variant] of measuredVariants(values).entries()) {
      made.rounds!.add(change(roundRow(variant, { round, place, values })));
      for (let order = 0; order < values.requests; order++) {
        made.requests!.add(change(requestRow(variant, { round, order })));
      }
    }
  }
  return view(made, values, warnings);
}

function roundRow(variant: Variant, at: { round: number; place: number; values: Values }): Row {
  const { transport, client, mode } = partsOf(variant);
  const { round, place, values: { requests, alpn } } = at;
  const connections = mode === "shared" ? 1 : requests;
  const full = mode === "resumed" ? 1 : connections;
  return {
    ...{ round, place, variant, startMs: 0, elapsedMs: ROUND_MS[`${transport}/${mode}`]! * (10 + round) },
    ...{ requests, failed: 0, connections, connectionsReason: null },
    ...{ protocol: transport === "tls" && client === "fetch" ? alpn : "http/1.1", protocolReason: null },
    ...(transport === "tls"
      ? { handshakesFull: full, handshakesResumed: connections - full, handshakesReason: null }
      : { handshakesFull: null, handshakesResumed: null, handshakesReason: "plain" }),
    ...(transport === "tls"
      ? { tlsVersion: "TLSv1.3", tlsVersionReason: null }
      : { tlsVersion: null, tlsVersionReason: "plain" }),
  };
}

function requestRow(variant: Variant, { round, order }: { round: number; order: number }): Row {
  const { transport, client, mode } = partsOf(variant);
  const opens = client === "raw" && (mode !== "shared" || order === 0);
  return {
    ...{ variant, round, order, startMs: 0, elapsedMs: 2, status: 200, bodyBytes: 1 },
    ...{ clientMs: client === "fetch" && mode === "new" ? 0.05 : null, waitMs: 0.2, receiveMs: 0.1 },
    connectMs: opens ? 0.25 : null,
    tlsMs: opens && transport === "tls" ? 1.5 : null,
    sendMs: client === "raw" ? 0.1 : null,
  };
}

function view(
  made: Record<string, TableData>,
  values: Values,
  warnings: readonly Warning[],
): RunView<Values> {
  const summary: readonly Metric[] = experiment.summarize(made, values, 1);
  return {
    ...{
      id: "tls-vs-plain/x",
      status: "complete",
      seed: 1,
      summary,
      claims: [],
      warnings,
      environment: null,
    },
    ...{ tables: made, value: () => null, params: {}, values },
  };
}

/** The verdict of each claim. */
export const verdicts = (run: RunView<Values>) =>
  judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
/** Why a claim has its verdict. */
export const reasonOf = (run: RunView<Values>, id: string) =>
  judge(experiment.claims!, run).find((one) => one.id === id)!.reason!;

/** The values of a metric, by variant. */
export function metricsOf({ summary }: RunView<Values>, name: string): Record<string, number | null> {
  return Object.fromEntries(
    summary.filter((metric) => metric.name === name).map(({ variant, value }) => [variant!, value]),
  );
}

/** A change to the rows of one variant. */
export const inVariant = (variant: Variant, change: Row): Change => (row) =>
  row.variant === variant ? { ...row, ...change } : row;

/** A change to the rows of one variant in each round, which has a number of its own. */
export const byRound = (variant: Variant, change: (round: number) => Row): Change => (row) =>
  row.variant === variant ? { ...row, ...change(row.round as number) } : row;

/** A change to every round over TLS: nobody told its version. */
export const untold: Change = (row) =>
  row.tlsVersion ? { ...row, tlsVersion: null, tlsVersionReason: "Nobody tells" } : row;
