import { assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { type ClaimVerdict, judge, type RunView } from "../../record/mod.ts";
import { type MadeArm, madeRun } from "./_made_run.ts";
import experiment from "./mod.ts";
import type { Values } from "./params.ts";

function verdict(run: RunView<Values>, wanted: string): ClaimVerdict {
  return judge(experiment.claims!, run).find(({ id }) => id === wanted)!;
}

function says(run: RunView<Values>, id: string): [string, number | null] {
  const { verdict: answer, measured } = verdict(run, id);
  return [answer, measured];
}

const IDLE: MadeArm = { variant: "epoll" };
const POOL: MadeArm = {
  variant: "fetch",
  arm: { client: "fetch" },
  reading: () => ({ open: null, atClient: 12 }),
};

Deno.test("idle: counts that agree and memory of the stated order bear the claim out", () => {
  const run = madeRun({ mode: "idle" }, [IDLE]);
  assertEquals(says(run, "B1")[0], "holds");
  assertAlmostEquals(verdict(run, "B1").measured!, 10_000, 1e-3);
  assertAlmostEquals(run.value("bytesPerConnection", "epoll")!, 10_000, 1e-3);
  assertEquals(
    ["opened", "held", "activeAtServer", "inFlightAtServer"].map((name) => run.value(name, "epoll")),
    [
      ...[100, 100, 101, 1],
    ],
  );
});

Deno.test("idle: one count that does not agree contradicts it", () => {
  for (const off of [{ active: 100 }, { inFlight: 2 }, { atServer: 99 }]) {
    const run = madeRun({}, [{ ...IDLE, reading: (open) => open === 100 ? off : {} }]);
    assertEquals(says(run, "B1")[0], "differs", JSON.stringify(off));
  }
});

Deno.test("idle: a stack that does not tell its connections is held against the kernel's count", () => {
  const silent = { active: null, accepted: null, reason: "It has no events" };
  const run = madeRun({ stack: "deno" }, [{ ...IDLE, reading: () => silent }]);
  assertEquals(says(run, "B1")[0], "holds");
  assertStringIncludes(verdict(run, "B1").reason!, "active not told (It has no events)");
  const metric = run.summary.find(({ name }) => name === "activeAtServer");
  assertEquals([metric?.value, metric?.reason], [null, "It has no events"]);
  const off = madeRun({}, [{ ...IDLE, reading: () => ({ ...silent, atServer: 1 }) }]);
  assertEquals(says(off, "B1")[0], "differs");
});

Deno.test("idle: memory of another order contradicts the claim, and memory that leaves it open does not", () => {
  const small = madeRun({}, [{ ...IDLE, reading: (open) => ({ rssBytes: 1e7 + 500 * open }) }]);
  assertEquals(says(small, "B1")[0], "differs");
  const wild = madeRun({}, [{ ...IDLE, reading: (open) => ({ rssBytes: 1e7 + (open % 50 ? 5e6 : 0) }) }]);
  assertEquals(says(wild, "B1")[0], "not measured");
  assertStringIncludes(verdict(wild, "B1").reason!, "leaves open");
});

Deno.test("idle: what a server without descriptors does not answer is the server's", () => {
  const run = madeRun({ serverFds: 64 }, [{
    ...IDLE,
    arm: { opened: 90, failed: 10, serverFds: 64 },
    connection: (place) =>
      place < 90
        ? {}
        : { openMs: null, failurePhase: "wait", failureKind: "timed-out", failureSide: "unknown" },
    reading: () => ({ queued: 10, listenOverflows: 0, descriptors: 64 }),
  }]);
  assertEquals(
    ["timedOutServer", "timedOutUnknown", "gaveOutServer"].map((name) => run.value(name, "epoll")),
    [
      ...[10, null, 10],
    ],
  );
  assertEquals(
    verdict(run, "B1").reason,
    "Of 100 connections 90 were opened, 10 timed-out (server); server: 10 got no answer in time, as it had no " +
      "descriptor left to accept with",
  );
});

Deno.test("idle: what a lost process of the client held is in no count of what was opened", () => {
  const run = madeRun({}, [{ ...IDLE, arm: { begun: 50, opened: 50, lostShards: 1 }, connections: 50 }]);
  const reason = "1 process of the client was lost: the others opened 50 of 50 connections";
  const found = run.summary.filter(({ name }) => name === "opened" || name === "failed");
  assertEquals(found.map(({ value, reason }) => [value, reason]), [[null, reason], [null, reason]]);
  assertEquals(run.value("held", "epoll"), 100);
  assertEquals(verdict(run, "B1").reason, "1 process of the client was lost");
});

Deno.test("idle: connections that were not opened are told with their side, and nothing is claimed", () => {
  const failed = { failurePhase: "connect", failureKind: "local-ports-exhausted", failureSide: "client" };
  const run = madeRun({}, [{
    ...IDLE,
    arm: { opened: 90, failed: 10 },
    connection: (place) => place < 10 ? { openMs: null, ...failed } : {},
  }]);
  assertEquals(run.value("failed", "epoll"), 10);
  assertEquals(run.value("localPortsExhaustedClient", "epoll"), 10);
  assertEquals(verdict(run, "B1").verdict, "not measured");
  assertEquals(
    verdict(run, "B1").reason,
    "Of 100 connections 90 were opened, 10 local-ports-exhausted (client)",
  );
});

Deno.test("idle: a pool that holds fewer than it was asked for, beside sockets that hold all", () => {
  assertEquals(says(madeRun({}, [IDLE, POOL]), "B8"), ["holds", 12]);
  assertEquals(says(madeRun({}, [IDLE, { ...POOL, reading: () => ({ atClient: 100 }) }]), "B8"), [
    "differs",
    100,
  ]);
  for (const arms of [[POOL], [{ ...IDLE, arm: { opened: 90, failed: 10 } }, POOL]]) {
    assertEquals(says(madeRun({}, arms), "B8")[0], "not measured");
  }
  const capped = { reading: () => ({ atClient: 56 }) };
  const atCap = verdict(madeRun({}, [{ ...IDLE, ...capped }, { ...POOL, ...capped }]), "B8");
  assertEquals([atCap.verdict, atCap.reason], [
    "not measured",
    "The server held only 56 of 100, without a pool too",
  ]);
  const run = madeRun({}, [IDLE, POOL]);
  assertEquals(run.value("held", "fetch"), 12);
  assertEquals(run.value("opened", "fetch"), null);
});

Deno.test("idle: the memory of several servers is added up", () => {
  const both: MadeArm = { ...IDLE, arm: { servers: 2 } };
  const run = madeRun({}, [both]);
  for (const row of [...run.tables.readings!.rows()]) {
    (run.tables.readings as unknown as { add(row: unknown): void }).add({ ...row, server: 1 });
  }
  const [metric] = experiment.summarize(run.tables, run.values, 1)
    .filter(({ name }) => name === "bytesPerConnection");
  assertAlmostEquals(metric!.value!, 20_000, 1e-3);
});

const SLOW: MadeArm = {
  variant: "epoll",
  connection: () => ({ status: 200 }),
  reading: (open) => ({ inFlight: open + 1 }),
};

Deno.test("slow: requests in flight with the poll among them, then all answered", () => {
  const run = madeRun({ mode: "slow" }, [SLOW]);
  assertEquals(says(run, "B2"), ["holds", 101]);
  assertEquals(["sent", "answered", "unfinished", "failed"].map((name) => run.value(name, "epoll")), [
    ...[100, 100, 0, 0],
  ]);
});

Deno.test("slow: a request that still waits is unfinished, and no failure", () => {
  const run = madeRun({ mode: "slow" }, [{
    ...SLOW,
    connection: (place) => ({ status: place < 60 ? 200 : null }),
  }]);
  assertEquals(["answered", "unfinished", "failed"].map((name) => run.value(name, "epoll")), [60, 40, 0]);
});

Deno.test("slow: a count that is off by the poll contradicts the claim", () => {
  const run = madeRun({ mode: "slow" }, [{ ...SLOW, reading: (open) => ({ inFlight: open }) }]);
  assertEquals(says(run, "B2"), ["differs", 100]);
});

const LIMIT = { headerTimeoutMs: 3000, checkingMs: 300 };
const OFF: MadeArm = { variant: "no-timeout" };
const SILENT: MadeArm = {
  variant: "timeout",
  arm: LIMIT,
  connection: (place) => ({ closedMs: 3010 + place, status: 408 }),
};
const DRIPPING: MadeArm = { ...SILENT, variant: "timeout-drip", arm: { ...LIMIT, dripMs: 500 } };

function slowloris(...arms: MadeArm[]): RunView<Values> {
  return madeRun({ mode: "slowloris" }, arms);
}

Deno.test("slowloris: none without a header timeout, all in time with one, and bytes that move nothing", () => {
  const run = slowloris(DRIPPING, OFF, SILENT);
  assertEquals(says(run, "B3"), ["holds", 3099]);
  assertStringIncludes(verdict(run, "B3").reason!, "a byte every 0.5 s did not move the deadline");
  assertEquals(["no-timeout", "timeout"].map((variant) => run.value("reclaimed", variant)), [0, 100]);
  const metric = run.summary.find(({ name, variant }) =>
    name === "reclaimedAfterMs" && variant === "timeout"
  );
  assertEquals([metric?.value, metric?.low, metric?.high], [3049.5, 3000, 3099]);
});

Deno.test("slowloris: bytes that do move the deadline are told, late or for good", () => {
  const late = { ...DRIPPING, connection: () => ({ closedMs: 4500 }) };
  assertStringIncludes(
    verdict(slowloris(OFF, SILENT, late), "B3").reason!,
    "moved the deadline: 100 were after",
  );
  const never = { ...DRIPPING, connection: () => ({}) };
  assertStringIncludes(verdict(slowloris(OFF, SILENT, never), "B3").reason!, "moved the deadline: none was");
});

Deno.test("slowloris: a server that reclaims without a timeout, too few, too late or too soon contradicts the claim", () => {
  const reclaims = (arm: MadeArm, closedMs: (place: number) => number | null) => ({
    ...arm,
    connection: (place: number) => ({ closedMs: closedMs(place) }),
  });
  for (
    const [arms, measured] of [
      [[reclaims(OFF, (place) => place < 3 ? 100 : null), SILENT], 3],
      [[OFF, reclaims(SILENT, (place) => place < 99 ? 3100 : null)], 99],
      [[OFF, reclaims(SILENT, () => 3910)], 3900],
      [[OFF, reclaims(SILENT, () => 2010)], 2000],
    ] as const
  ) {
    assertEquals(says(slowloris(...arms), "B3"), ["differs", measured]);
  }
});

Deno.test("slowloris: without an arm that has a timeout nothing is claimed", () => {
  assertEquals(says(slowloris(OFF), "B3")[0], "not measured");
  assertEquals(says(slowloris({ variant: "as-it-is", arm: { subject: "nginx" } }), "B3")[0], "not measured");
});

const held = {
  stack: "deno",
  limit: "whole header",
  setting: null,
  exposedMs: null,
  isOff: null,
  closedMs: null,
};
const exposed = {
  stack: "node",
  limit: "whole header",
  setting: "headersTimeout",
  exposedMs: 60_000,
  isOff: false,
};

Deno.test("the defaults of a stack: on, off by its own word, off as far as was seen, and unknown", () => {
  const judged = (subject: string, ...rows: Parameters<typeof madeRun>[2] & object) =>
    says(madeRun({ mode: "slowloris" }, [{ ...OFF, arm: { subject } }], rows), "B9");
  assertEquals(judged("node", exposed, { ...held, heldMs: 5000 }), ["differs", 1]);
  assertEquals(judged("deno", exposed, { ...held, heldMs: 5000 }), ["holds", 0]);
  assertEquals(judged("deno", { ...held, heldMs: 2000, closedMs: 2000 }), ["differs", 1]);
  assertEquals(judged("deno", { ...held, heldMs: null }), ["not measured", null]);
  assertEquals(judged("node", { ...exposed, exposedMs: null, isOff: true }), ["holds", 0]);
  assertEquals(judged("node", { ...held, heldMs: 5000 }), ["not measured", null]);
});

Deno.test("a claim of another mode is not measured, and the mode is named", () => {
  const { verdict: answer, reason } = verdict(madeRun({ mode: "slow" }, [SLOW]), "B1");
  assertEquals([answer, reason], ["not measured", "Measured by --mode idle"]);
});

Deno.test("an arm whose server ended is told by its end, and nothing of it was reclaimed", () => {
  const serverEnd = "exit status 1: Too many open files";
  const run = madeRun({}, [{ ...IDLE, arm: { serverEnd }, connection: () => ({ closedMs: 100 }) }]);
  const reclaimed = run.summary.filter(({ name }) => name.startsWith("reclaimed"));
  assertEquals(reclaimed.map(({ value, reason }) => [value, reason]), [
    [null, `A server ended: ${serverEnd}`],
    [null, `A server ended: ${serverEnd}`],
  ]);
  assertEquals(verdict(run, "B1").reason, "The server ended: exit status 1: Too many open files");
});

Deno.test("the figures draw what each mode has", () => {
  const titles = (run: RunView<Values>, name: string) =>
    experiment.figures[name]!(run as unknown as RunView).data.map(({ name }) => name);
  assertEquals(titles(madeRun({}, [IDLE, POOL]), "memory"), [
    "server of epoll",
    "10,000 bytes for each connection",
  ]);
  assertEquals(titles(madeRun({ mode: "slow" }, [SLOW]), "inFlight").length, 4);
  assertEquals(titles(slowloris(OFF, SILENT, DRIPPING), "reclaimed"), [
    "no-timeout",
    "timeout",
    "timeout-drip",
  ]);
});
