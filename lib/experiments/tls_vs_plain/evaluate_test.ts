import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
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

type Change = (row: Row) => Row;

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

function runOf(
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

const verdicts = (run: RunView<Values>) =>
  judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
const reasonOf = (run: RunView<Values>, id: string) =>
  judge(experiment.claims!, run).find((one) => one.id === id)!.reason!;

function metricsOf({ summary }: RunView<Values>, name: string): Record<string, number | null> {
  return Object.fromEntries(
    summary.filter((metric) => metric.name === name).map(({ variant, value }) => [variant!, value]),
  );
}

/** A change to the rows of one variant. */
const inVariant = (variant: Variant, change: Row): Change => (row) =>
  row.variant === variant ? { ...row, ...change } : row;

/** A change to the rows of one variant in each round, which has a number of its own. */
const byRound = (variant: Variant, change: (round: number) => Row): Change => (row) =>
  row.variant === variant ? { ...row, ...change(row.round as number) } : row;

/** A change to every round over TLS: nobody told its version. */
const untold: Change = (row) =>
  row.tlsVersion ? { ...row, tlsVersion: null, tlsVersionReason: "Nobody tells" } : row;

Deno.test("summarize() gives each pair's ratio, and both claims hold", () => {
  const run = runOf();
  assertEquals(metricsOf(run, "elapsedRatio"), {
    "plain/fetch": 2,
    "tls/fetch": 5,
    "plain/raw": 2,
    "tls/raw": 5,
  });
  assertEquals(metricsOf(run, "connections"), {
    ...{ "plain/fetch/new": 3, "plain/fetch/shared": 1, "plain/raw/new": 3, "plain/raw/shared": 1 },
    ...{ "tls/fetch/new": 3, "tls/fetch/resumed": 3, "tls/fetch/shared": 1 },
    ...{ "tls/raw/new": 3, "tls/raw/resumed": null, "tls/raw/shared": 1 },
  });
  // The rounds take up to 80 ms for 3 requests, which is no time for a connection.
  assertEquals(verdicts(run), ["A3 holds", "A19 differs"]);
  const quick = runOf({ change: (row) => ({ ...row, elapsedMs: (row.elapsedMs as number) / 100 }) });
  assertEquals(verdicts(quick), ["A3 holds", "A19 holds"]);
});

Deno.test("summarize() tells full and resumed handshakes apart, and has none for plain variants", () => {
  const run = runOf();
  assertEquals(metricsOf(run, "handshakesFull"), {
    ...{ "tls/fetch/new": 3, "tls/fetch/resumed": 1, "tls/fetch/shared": 1 },
    ...{ "tls/raw/new": 3, "tls/raw/resumed": null, "tls/raw/shared": 1 },
  });
  assertEquals(metricsOf(run, "handshakesResumed"), {
    ...{ "tls/fetch/new": 0, "tls/fetch/resumed": 2, "tls/fetch/shared": 0 },
    ...{ "tls/raw/new": 0, "tls/raw/resumed": null, "tls/raw/shared": 0 },
  });
});

Deno.test("the times of a handshake are means over the connections that were opened", () => {
  const run = runOf();
  const of = (name: string) => Object.entries(metricsOf(run, name)).filter(([_, value]) => value !== null);
  assertEquals(of("tlsMs"), [["tls/raw/new", 1.5], ["tls/raw/shared", 1.5]]);
  assertEquals(of("connectMs").map(([_, value]) => value), [0.25, 0.25, 0.25, 0.25]);
  assertEquals(of("handshakeMs"), [
    ["plain/raw/new", 0.25],
    ["plain/raw/shared", 0.25],
    ["tls/raw/new", 1.75],
    ["tls/raw/shared", 1.75],
  ]);
});

Deno.test("every metric without a value says why", () => {
  const { summary } = runOf();
  const reasons = (variant: string) =>
    new Set(
      summary.filter((metric) => metric.variant === variant && metric.value === null).map(({ reason }) =>
        reason
      ),
    );
  assertEquals(reasons("tls/raw/resumed").size, 1);
  assert([...reasons("tls/raw/resumed")][0]!.includes("cannot resume"));
  assertEquals([...reasons("tls/fetch/new")], ["The client fetch does not show it"]);
  assertEquals(reasons("tls/raw/new"), new Set());
});

Deno.test("summarize() gives the same intervals for the same seed", () => {
  const { tables, values } = runOf();
  assertEquals(experiment.summarize(tables, values, 7), experiment.summarize(tables, values, 7));
});

Deno.test("over HTTP/2, TLS is not compared with plain HTTP/1.1, and raw is left out with a reason", () => {
  const run = runOf({ values: { alpn: "h2" } });
  assertEquals(metricsOf(run, "elapsedRatio"), {
    "plain/fetch": 2,
    "tls/fetch": 5,
    "plain/raw": 2,
    "tls/raw": null,
  });
  assertEquals(verdicts(run)[0], "A3 not measured");
  assert(reasonOf(run, "A3").includes("different protocols"), reasonOf(run, "A3"));
  assert(reasonOf(run, "A3").includes("tls/fetch/new h2"), reasonOf(run, "A3"));
  const raw = run.summary.find(({ variant, name }) => variant === "tls/raw/new" && name === "elapsedMs")!;
  assert(raw.reason!.includes("HTTP/1.1 only"));
});

Deno.test("a pair that spoke different protocols, or unknown ones, has no ratio", () => {
  const unlike = runOf({ change: inVariant("tls/fetch/shared", { protocol: "h2" }) });
  assertEquals(metricsOf(unlike, "elapsedRatio")["tls/fetch"], null);
  assertEquals(metricsOf(unlike, "addedPerRequestMs")["tls/fetch"], null);
  assertEquals(verdicts(unlike), ["A3 not measured", "A19 not measured"]);
  const unknown = runOf({
    change: inVariant("tls/raw/new", { protocol: null, protocolReason: "Nobody tells" }),
  });
  assertEquals(metricsOf(unknown, "elapsedRatio")["tls/raw"], null);
  assert(reasonOf(unknown, "A3").includes("Nobody tells"));
});

Deno.test("a pair that spoke different versions of TLS has no ratio, and one of unknown versions has", () => {
  for (const tlsVersion of ["TLSv1.2", "TLSv1.2 TLSv1.3"]) {
    const unlike = runOf({ change: inVariant("tls/raw/shared", { tlsVersion }) });
    assertEquals(metricsOf(unlike, "elapsedRatio")["tls/raw"], null);
    assertEquals(verdicts(unlike), ["A3 not measured", "A19 not measured"]);
    assert(reasonOf(unlike, "A3").includes("different versions of TLS: tls/raw/new TLSv1.3"));
  }
  const oneMixedRound: Change = (row) =>
    row.variant === "tls/raw/new" && row.round === 2 ? { ...row, tlsVersion: "TLSv1.2" } : row;
  assertEquals(metricsOf(runOf({ change: oneMixedRound }), "elapsedRatio")["tls/raw"], null);
  assertEquals(metricsOf(runOf({ change: untold }), "elapsedRatio")["tls/raw"], 5);
});

Deno.test("A3 is about TLS 1.3: where another version was spoken, or none is known, it is not judged", () => {
  const unknown = runOf({ change: untold });
  assertEquals(verdicts(unknown)[0], "A3 not measured");
  assert(reasonOf(unknown, "A3").includes("tls/fetch/new is not known: Nobody tells"));
  const older: Change = (row) => row.tlsVersion ? { ...row, tlsVersion: "TLSv1.2" } : row;
  const run = runOf({ change: older });
  assertEquals(verdicts(run)[0], "A3 not applicable here");
  assert(reasonOf(run, "A3").includes("tls/fetch/new spoke TLSv1.2"));
  assertEquals(JSON.stringify(experiment.figures.ratio!(run)).includes("TLSv1.2"), true);
  assertEquals(JSON.stringify(experiment.figures.ratio!(unknown)).includes("TLSv1"), false);
});

Deno.test("a target without a plain URL is measured over TLS alone, and says what is missing", () => {
  const run = runOf({ values: { target: "https://example.test/" } });
  assertEquals(metricsOf(run, "elapsedRatio"), {
    "plain/fetch": null,
    "tls/fetch": 5,
    "plain/raw": null,
    "tls/raw": 5,
  });
  assertEquals(verdicts(run), ["A3 not measured", "A19 not measured"]);
  assert(reasonOf(run, "A3").includes("--plain-target"));
});

Deno.test("A3 differs where a client's ratio over TLS is the smaller one, and is open where intervals meet", () => {
  const smaller = runOf({ change: byRound("tls/raw/new", (round) => ({ elapsedMs: 1.5 * (10 + round) })) });
  assertEquals(verdicts(smaller)[0], "A3 differs");
  const meeting = runOf({
    change: byRound("tls/raw/new", (round) => ({ elapsedMs: (round % 2 ? 1 : 4) * (10 + round) })),
  });
  assertEquals(verdicts(meeting)[0], "A3 not measured");
  assert(reasonOf(meeting, "A3").includes("not apart"));
});

Deno.test("A3 is not judged on Deno.serve, which delays responses over TLS alone", () => {
  const run = runOf({ values: { stack: "deno" } });
  assertEquals(verdicts(run)[0], "A3 not measured");
  assert(reasonOf(run, "A3").includes("--stack node"));
  assertEquals(verdicts(run)[1], "A19 not measured");
  assert(reasonOf(run, "A19").includes("delayed acknowledgements"));
});

Deno.test("A3 is judged for each client that was measured", () => {
  const fetchAlone = runOf({
    values: { client: "fetch" },
    change: byRound("tls/raw/new", () => ({ elapsedMs: 1 })),
  });
  assertEquals(verdicts(fetchAlone)[0], "A3 holds");
  assertEquals(Object.keys(metricsOf(fetchAlone, "elapsedRatio")), ["plain/fetch", "tls/fetch"]);
});

Deno.test("A19 tells plain and TLS apart, and is judged on the upper end of the interval", () => {
  const cheap: Change = (row) => ({ ...row, elapsedMs: (row.elapsedMs as number) / 100 });
  const costly = (change: Change): Change => (row) => change(cheap(row));
  const differs = runOf({
    change: costly(byRound("tls/raw/new", (round) => ({ elapsedMs: 20 + round }))),
  });
  assertEquals(verdicts(differs)[1], "A19 differs");
  assertMatch(
    reasonOf(differs, "A19"),
    /^plain connections stay below 1 ms \(.*raw 0\..* ms\); TLS connections do not stay below 1 ms \(.*raw [5-9]\./,
  );
  const open = runOf({
    change: costly(byRound("tls/raw/new", (round) => ({ elapsedMs: round % 2 ? 0.3 : 5.5 }))),
  });
  assertEquals(verdicts(open)[1], "A19 not measured");
  assertMatch(
    reasonOf(open, "A19"),
    /plain connections stay below 1 ms .*; TLS connections may not stay below 1 ms \(/,
  );
});

Deno.test("A19 is about a server on the same machine", () => {
  const elsewhere = {
    values: { target: "https://example.test/", plainTarget: "http://example.test/" },
    warnings: [],
  };
  assertEquals(verdicts(runOf(elsewhere))[1], "A19 not applicable here");
});

Deno.test("a round with failures has no times, is not compared, and its claims are not measured", () => {
  const run = runOf({ change: inVariant("tls/raw/new", { failed: 1 }) });
  assertEquals(metricsOf(run, "elapsedMs")["tls/raw/new"], null);
  assertEquals(metricsOf(run, "handshakeMs")["tls/raw/new"], null);
  assertEquals(metricsOf(run, "elapsedRatio")["tls/raw"], null);
  assertEquals(verdicts(run), ["A3 not measured", "A19 not measured"]);
});

const UNSHARED: readonly [what: string, change: Row, reason: RegExp][] = [
  ["had a connection for each request", { connections: 3 }, /did not share a connection: round 1 had 3/],
  [
    "had connections that nobody could count",
    { connections: null, connectionsReason: "At least 2: reset" },
    /not known to have shared a connection, round 1: At least 2: reset/,
  ],
];

for (const [what, change, reason] of UNSHARED) {
  for (const variant of ["plain/fetch/shared", "tls/raw/shared"] as const) {
    Deno.test(`${variant} is not compared where it ${what}, and no claim is judged by it`, () => {
      const run = runOf({ change: inVariant(variant, change) });
      const pair = variant.replace("/shared", "");
      assertEquals(metricsOf(run, "elapsedRatio")[pair], null);
      assertEquals(metricsOf(run, "addedPerRequestMs")[pair], null);
      assertEquals(verdicts(run), ["A3 not measured", "A19 not measured"]);
      for (const id of ["A3", "A19"]) assertMatch(reasonOf(run, id), reason);
    });
  }
}

Deno.test("claims without a round, or with too few for an interval, are not measured", () => {
  assertEquals(verdicts(runOf({ rounds: 0 })), ["A3 not measured", "A19 not measured"]);
  assertEquals(verdicts(runOf({ rounds: 2 })), ["A3 not measured", "A19 not measured"]);
});

Deno.test("every figure is drawn from a run, with the pairs side by side and the phases in order", () => {
  const run = runOf();
  const names = (figure: string) => experiment.figures[figure]!(run).data.map(({ name }) => name);
  assertEquals(names("ratio"), ["plain/fetch", "tls/fetch", "plain/raw", "tls/raw"]);
  assertEquals(names("phases"), ["client", "connect", "tls", "send", "wait", "receive"]);
  assertEquals(names("handshake"), ["plain/raw/new", "tls/raw/new"]);
  assertEquals(names("resumption"), ["tls/fetch/new", "tls/fetch/resumed", "tls/fetch/shared"]);
  assertEquals(
    new Set(experiment.figures.handshake!(run).data.flatMap(({ y }) => y as number[])),
    new Set([0.25, 1.75]),
  );
});

Deno.test("figures of times leave out requests that failed, and say so", () => {
  const failing: Change = (row) =>
    row.order === 1 ? { ...row, failureKind: "reset", connectMs: 900, waitMs: 900 } : row;
  const run = runOf({ rounds: 2, change: failing });
  for (const name of ["handshake", "resumption"]) {
    const { data, layout } = experiment.figures[name]!(run);
    assertEquals(data.flatMap(({ y }) => y as number[]).some((value) => value >= 900), false);
    assert(JSON.stringify(layout).includes("18 requests that failed are left out"));
  }
});

Deno.test("a figure of a run without rows says so instead of drawing nothing", () => {
  for (const draw of Object.values(experiment.figures)) {
    assertThrows(() => draw(runOf({ rounds: 0 })), RangeError);
  }
});
