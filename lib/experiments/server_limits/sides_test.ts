import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Evidence, type FailedAlike, sidesOf } from "./sides.ts";

const NOTHING: Evidence = {
  ...{ failures: [], ended: 0, serverEnd: null, listenOverflows: 0, queued: 0 },
  serverDescriptorsLeft: null,
  ...{ clientCpuShare: 0.2, serverCpuShare: 0.3, machineBusyShare: 0.6 },
};

const failed = (
  kind: FailedAlike["kind"],
  count: number,
  side: FailedAlike["side"] = "client",
  connecting = true,
): FailedAlike => ({ kind, count, side, connecting });

const found = (evidence: Partial<Evidence>) =>
  sidesOf({ ...NOTHING, ...evidence }).map(({ side, count }) => [side, count]);

Deno.test("sidesOf() books what the client lacks to the client, each want by itself", () => {
  assertEquals(found({ failures: [failed("local-ports-exhausted", 250)] }), [["client ports", 250]]);
  assertEquals(found({ failures: [failed("descriptors-exhausted", 7), failed("address-in-use", 1)] }), [
    ["client ports", 1],
    ["client descriptors", 7],
  ]);
});

Deno.test("sidesOf() books connections that an ended server refused and broke off to the server", () => {
  const failures = [failed("refused", 20, "server"), failed("reset", 5, "server", false)];
  const [side, ...others] = sidesOf({ ...NOTHING, failures, ended: 80, serverEnd: "exit status 1" });
  assertEquals([side!.side, side!.count, others], ["server", 105, []]);
  assertStringIncludes(side!.reason, "exit status 1");
});

Deno.test("sidesOf() names a server that ended though no connection failed", () => {
  assertEquals(found({ serverEnd: "signal SIGABRT" }), [["server", 0]]);
});

Deno.test("sidesOf() books connects without an answer to the accept queue only where it overflowed", () => {
  const failures = [failed("timed-out", 40, "unknown")];
  assertEquals(found({ failures, listenOverflows: 120 }), [["accept queue", 40]]);
  assertEquals(found({ failures, listenOverflows: 0 }), [["server", 40]]);
  assertEquals(found({ failures, listenOverflows: null }), [["server", 40]]);
});

Deno.test("sidesOf() tells connections that wait to be accepted from those that the server left without an answer", () => {
  const failures = [failed("timed-out", 30, "unknown", false)];
  assertEquals(found({ failures, queued: 17 }), [["server", 13], ["accept queue", 17]]);
  assertEquals(found({ failures, queued: 100 }), [["accept queue", 30]]);
});

Deno.test("sidesOf() books what waits to be accepted to a server without descriptors", () => {
  const failures = [failed("timed-out", 30, "unknown", false), failed("timed-out", 5, "unknown")];
  const evidence = { ...NOTHING, failures, queued: 30, listenOverflows: 9, serverDescriptorsLeft: 0 };
  const [side, ...others] = sidesOf(evidence);
  assertEquals([side!.side, side!.count, others], ["server", 35, []]);
  assertStringIncludes(side!.reason, "no descriptor left to accept with");
  assertEquals(found({ ...evidence, serverDescriptorsLeft: 40 }), [["accept queue", 35]]);
});

Deno.test("sidesOf() looks for a processor only where nothing failed, and at the client's first", () => {
  assertEquals(found({}), []);
  assertEquals(found({ serverCpuShare: 0.97 }), [["processor", null]]);
  const [busy] = sidesOf({ ...NOTHING, clientCpuShare: 0.99, serverCpuShare: 0.97 });
  assertEquals(busy!.owner, "client");
  assertStringIncludes(busy!.reason, "the server may be able to do more");
  assertEquals(found({ serverCpuShare: 0.97, failures: [failed("refused", 1, "server")] }), [["server", 1]]);
  assertEquals(found({ clientCpuShare: null, serverCpuShare: null, machineBusyShare: null }), []);
  const [crowded] = sidesOf({ ...NOTHING, machineBusyShare: 0.99 });
  assertEquals([crowded!.side, crowded!.owner], ["processor", "machine"]);
});
