import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { Row } from "../../record/mod.ts";
import {
  byRound,
  type Change,
  inVariant,
  metricsOf,
  reasonOf,
  runOf,
  untold,
  verdicts,
} from "./_built_run.ts";
import experiment from "./mod.ts";
import type { Values } from "./params.ts";
import type { Variant } from "./variants.ts";

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

/** A change to the rows of a variant: two requests in three wait for a delayed ACK. */
const delayed = (variant: Variant): Change => (row) =>
  row.variant === variant && (row.order as number) > 0 ? { ...row, waitMs: 44, elapsedMs: 44.2 } : row;

const ASKED: readonly [what: string, values: Partial<Values>][] = [
  ["the lab's own servers", {}],
  ["a target", { target: "https://127.0.0.1/", plainTarget: "http://127.0.0.1/" }],
];

for (const [what, values] of ASKED) {
  for (const variant of ["plain/fetch/new", "tls/fetch/shared", "tls/raw/new"] as const) {
    Deno.test(`claims are not judged where delayed ACKs dominate ${variant} of ${what}, and no row is excluded`, () => {
      const run = runOf({ values, change: delayed(variant) });
      assertEquals(verdicts(run), ["A3 not measured", "A19 not measured"]);
      for (const id of ["A3", "A19"]) assertMatch(reasonOf(run, id), new RegExp(`delayed ACK.*${variant}$`));
      assertEquals(metricsOf(run, "elapsedRatio"), metricsOf(runOf({ values }), "elapsedRatio"));
    });
  }
}

Deno.test("delayed ACKs in an arm that no claim compares leave the claims judged", () => {
  assertEquals(verdicts(runOf({ change: delayed("tls/fetch/resumed") })), verdicts(runOf()));
});

Deno.test("A3 says its rule with what was seen", () => {
  assertMatch(
    reasonOf(runOf(), "A3"),
    /^The ratios over TLS lie above those over plain connections, intervals apart: fetch .* stated 6\.1 and 1\.8/,
  );
});

Deno.test("the figure of phases names the variants that it is without", () => {
  const subtitleOf = (values: Partial<Values>) =>
    JSON.stringify(experiment.figures.phases!(runOf({ values })).layout.title);
  assert(subtitleOf({}).replaceAll("<br>", " ").includes("without tls/raw/resumed"));
  assert(!subtitleOf({ client: "fetch" }).replaceAll("<br>", " ").includes("without"));
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
