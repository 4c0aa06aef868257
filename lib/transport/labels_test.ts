import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import { failure, type Label, LABELS } from "../record/mod.ts";
import { ServerProcess } from "../testing/mod.ts";
import type { Exchange } from "./client.ts";
import { delayedAckShare, type LabelFacts, labelsOf, synRepetitionsMs } from "./labels.ts";
import { openClient } from "./open_client.ts";

const FAULTY = new URL("../../servers/faulty.ts", import.meta.url);

const ANSWERED: LabelFacts = { reused: true, connectMs: null, waitMs: 0.3, receiveMs: 0.1, failure: null };

Deno.test("labelsOf gives a fast answer no label", () => {
  assertEquals(labelsOf(ANSWERED), []);
  assertEquals(labelsOf({ ...ANSWERED, reused: false, connectMs: 0.2 }), []);
  assertEquals(labelsOf({ reused: null, connectMs: null, waitMs: null, receiveMs: null, failure: null }), []);
});

Deno.test("labelsOf tells a stale reuse: reused, and ended or reset before any byte of the response", () => {
  for (const kind of ["reset", "closed-early"] as const) {
    for (const [phase, isStale] of [["send", true], ["wait", true], ["receive", false]] as const) {
      const failed = { ...ANSWERED, receiveMs: null, failure: failure(phase, kind) };
      assertEquals(labelsOf(failed), isStale ? ["stale-reuse"] : [], `${kind} in ${phase}`);
      assertEquals(labelsOf({ ...failed, reused: false }), []);
      assertEquals(labelsOf({ ...failed, reused: null }), []);
    }
  }
  for (const kind of ["timed-out", "bad-response", "refused"] as const) {
    assertEquals(labelsOf({ ...ANSWERED, failure: failure("wait", kind) }), []);
  }
});

Deno.test("labelsOf tells a delayed ACK by a wait of 39 to 60 ms, before or after the first byte", () => {
  for (const [ms, isDelayed] of [[38.9, false], [39, true], [44, true], [60, true], [60.1, false]] as const) {
    const labels: Label[] = isDelayed ? ["delayed-ack"] : [];
    assertEquals(labelsOf({ ...ANSWERED, waitMs: ms }), labels, `${ms}`);
    assertEquals(labelsOf({ ...ANSWERED, receiveMs: ms }), labels, `${ms}`);
    assertEquals(labelsOf({ ...ANSWERED, waitMs: ms, reused: false }), []);
    assertEquals(labelsOf({ ...ANSWERED, waitMs: ms, reused: null }), []);
    assertEquals(labelsOf({ ...ANSWERED, receiveMs: ms, failure: failure("receive", "closed-early") }), []);
  }
});

Deno.test("labelsOf tells a repeated SYN by the kernel's steps", () => {
  const dialled = (connectMs: number): LabelFacts => ({ ...ANSWERED, reused: false, connectMs });
  const labelled = (connectMs: number, synLinearTimeouts?: number) =>
    labelsOf(dialled(connectMs), synLinearTimeouts === undefined ? {} : { synLinearTimeouts }).length > 0;
  // Seen with 1, 2, 3 and 5 SYNs lost at 50 ms of round trip.
  assertEquals([1054, 2080, 3103, 5152].map((ms) => labelled(ms)), [true, true, true, true]);
  assertEquals([0.2, 54, 500, 980, 1181, 1500, 6000].map((ms) => labelled(ms)), new Array(7).fill(false));
  assertEquals([990, 1180].map((ms) => labelled(ms)), [true, true]);
  assertEquals([2050, 3050, 7100].map((ms) => labelled(ms, 0)), [false, true, true]);
  const failed = { ...dialled(1010), failure: failure("connect", "timed-out") };
  assertEquals(labelsOf(failed), []);
});

Deno.test("synRepetitionsMs ends where the kernel gives up by default", () => {
  assertEquals(synRepetitionsMs(4).at(-1), 67_000);
});

Deno.test("labelsOf gives every label of the list, and several at once", () => {
  const seen = new Set<Label>([
    ...labelsOf({ ...ANSWERED, waitMs: 40 }),
    ...labelsOf({ ...ANSWERED, connectMs: 1001, failure: failure("wait", "reset") }),
  ]);
  assertEquals([...seen].sort(), (Object.keys(LABELS) as Label[]).sort());
});

Deno.test("delayedAckShare is evidence only of many reused exchanges beside fresh ones that do not wait", () => {
  const waited = { ...ANSWERED, receiveMs: 44 };
  const first = { ...ANSWERED, reused: false };
  const shares = (exchanges: LabelFacts[]) => delayedAckShare(exchanges);
  const reused = (count: number, facts: LabelFacts = waited) => new Array<LabelFacts>(count).fill(facts);
  assertEquals(shares([]), { reused: null, fresh: null, evidence: false });
  assertEquals(shares([first, ...reused(10)]), { reused: 1, fresh: 0, evidence: true });
  assertEquals(shares([first, ...reused(9)]).evidence, false);
  assertEquals(shares(reused(10)), { reused: 1, fresh: null, evidence: false });
  assertEquals(shares([first, ...reused(5), ...reused(5, ANSWERED)]), {
    reused: 0.5,
    fresh: 0,
    evidence: true,
  });
  assertEquals(shares([first, ...reused(4), ...reused(6, ANSWERED)]).evidence, false);
  // A server that takes as long does so on a fresh connection too.
  assertEquals(shares([{ ...waited, reused: false }, ...reused(10)]), {
    reused: 1,
    fresh: 1,
    evidence: false,
  });
  const unknown = { ...waited, reused: null };
  assertEquals(shares([unknown, { ...waited, failure: failure("receive", "reset") }]), {
    reused: null,
    fresh: null,
    evidence: false,
  });
});

/** What labels are told by, of an exchange of the client `raw`. */
function factsOf({ connection, connectMs, waitMs, receiveMs, failure }: Exchange): LabelFacts {
  return { reused: connection !== null && connectMs === null, connectMs, waitMs, receiveMs, failure };
}

async function exchangesWith(behaviour: readonly string[], count: number): Promise<LabelFacts[]> {
  await using server = await ServerProcess.start(FAULTY, { flags: ["--behaviour", ...behaviour] });
  const { hostname, port } = server.announcement;
  using client = openClient("raw/shared", { hostname, port });
  const made: LabelFacts[] = [];
  while (made.length < count) made.push(factsOf(await client.request()));
  return made;
}

Deno.test("a server that splits its responses with Nagle's algorithm on has raw wait for delayed ACKs", async () => {
  const exchanges = await exchangesWith(["splits-with-nagle"], 21);
  const reused = exchanges.filter(({ reused }) => reused);
  assertEquals(reused.length, 20);
  const delayed = reused.filter((exchange) => labelsOf(exchange).includes("delayed-ack"));
  assertGreaterOrEqual(delayed.length, 10);
  assert(delayedAckShare(exchanges).evidence);
});

Deno.test("a server that writes its responses at once is not told to have delayed ACKs", async () => {
  const exchanges = await exchangesWith(["keeps"], 21);
  assertEquals(delayedAckShare(exchanges).evidence, false);
});

for (const end of ["reset", "fin"]) {
  Deno.test(`a server that ends a reused connection with ${end} in place of an answer gives a stale reuse`, async () => {
    const exchanges = await exchangesWith(["reads-and-closes", "--responses", "1", "--end", end], 4);
    assertEquals(exchanges.map(({ failure }) => failure?.kind ?? null), [
      null,
      end === "reset" ? "reset" : "closed-early",
      null,
      end === "reset" ? "reset" : "closed-early",
    ]);
    assertEquals(exchanges.flatMap((exchange) => labelsOf(exchange)), ["stale-reuse", "stale-reuse"]);
  });
}

Deno.test("a server whose accept queue is full has SYNs repeated", async () => {
  const flags = ["--behaviour", "accepts-late", "--delay", "200ms", "--backlog", "0"];
  await using server = await ServerProcess.start(FAULTY, { flags });
  const { hostname, port } = server.announcement;
  // One is accepted, one waits in the queue: the others find no place.
  const clients = Array.from({ length: 4 }, () => openClient("raw/new", { hostname, port }));
  const made = await Promise.all(clients.map((client) => client.request()));
  for (const client of clients) client.close();
  assertEquals(made.map(({ failure }) => failure), [null, null, null, null]);
  const labels = made.flatMap((exchange) => labelsOf(factsOf(exchange)));
  assertGreaterOrEqual(labels.filter((label) => label === "syn-repeated").length, 1);
});
