import { assertEquals } from "@std/assert";
import { type Chain, type Closing, type Hop, judgeChain, safeClientIdleMs } from "./chain.ts";
import { KNOWN_CHAINS } from "./known_chains.ts";

const client = (idleMs: number | null): Hop => ({ name: "client", role: "client", idleMs, closes: "fin" });
const box = (idleMs: number | null, closes: Closing): Hop => ({
  name: "box",
  role: "middlebox",
  idleMs,
  closes,
});
const balancer = (idleMs: number): Hop => ({ name: "balancer", role: "balancer", idleMs, closes: "fin" });
const server = (idleMs: number | null): Hop => ({ name: "server", role: "server", idleMs, closes: "fin" });

function judged(...hops: Hop[]): [string, string | null] {
  const { verdict, unsafeHop } = judgeChain({ name: "c", hops });
  return [verdict, unsafeHop];
}

Deno.test("judgeChain() finds a chain safe whose client gives up first, by a margin", () => {
  assertEquals(judged(client(30_000), server(60_000)), ["safe", null]);
  assertEquals(judged(client(59_000), box(60_000, "silent"), server(60_000)), ["safe", null]);
  assertEquals(judged(client(null), box(null, "reset"), server(null)), ["safe", null]);
});

Deno.test("judgeChain() finds a shorter limit racy when its end is announced, and unsafe when it is not", () => {
  assertEquals(judged(client(30_000), server(5000)), ["racy", "server"]);
  assertEquals(judged(client(null), server(5000)), ["racy", "server"]);
  assertEquals(judged(client(30_000), box(2000, "fin"), server(5000)), ["racy", "box"]);
  assertEquals(judged(client(30_000), box(2000, "reset"), server(5000)), ["unsafe", "box"]);
  assertEquals(judged(client(30_000), box(6000, "silent"), server(null)), ["unsafe", "box"]);
});

Deno.test("judgeChain() knows that an end which is announced comes before one that would not be", () => {
  assertEquals(judged(client(300_000), box(240_000, "silent"), server(130_000)), ["racy", "server"]);
  assertEquals(judged(client(300_000), box(240_000, "silent"), server(250_000)), ["unsafe", "box"]);
});

Deno.test("judgeChain() finds limits that are nearly equal racy, however they end", () => {
  assertEquals(judged(client(60_000), box(60_000, "silent"), server(null)), ["racy", "box"]);
  assertEquals(judged(client(59_500), server(60_000)), ["racy", "server"]);
  assertEquals(judged(client(60_001), box(60_000, "silent"), server(null)), ["unsafe", "box"]);
});

Deno.test("judgeChain() looks at each connection of a balancer apart, and says which limit to move where", () => {
  const behind = (idleMs: number) =>
    judgeChain({ name: "c", hops: [client(30_000), balancer(60_000), server(idleMs)] });
  assertEquals(behind(130_000), { verdict: "safe", unsafeHop: null, safeValues: [] });
  assertEquals(behind(5000), {
    verdict: "racy",
    unsafeHop: "server",
    safeValues: [{ hop: "server", bound: "at least", idleMs: 61_000 }],
  });
});

Deno.test("judgeChain() gives one value a hop that heeds every limit", () => {
  const hops = [client(30_000), box(2000, "reset"), server(5000)];
  assertEquals(judgeChain({ name: "c", hops }).safeValues, [
    { hop: "client", bound: "at most", idleMs: 1000 },
  ]);
});

Deno.test("a chain with its safe values is safe", () => {
  for (const known of KNOWN_CHAINS) {
    const { safeValues } = judgeChain(known);
    const hops = known.hops.map((hop) => {
      const idleMs = safeValues.find((value) => value.hop === hop.name)?.idleMs;
      return idleMs === undefined ? hop : { ...hop, idleMs };
    });
    assertEquals(judgeChain({ name: known.name, hops }).verdict, "safe", known.name);
  }
});

Deno.test("every known chain begins with a client, ends with a server and names its source", () => {
  for (const { hops, source } of KNOWN_CHAINS) {
    assertEquals([hops[0]!.role, hops.at(-1)!.role], ["client", "server"]);
    assertEquals(source.length > 0, true);
  }
});

Deno.test("known chains are judged from data", () => {
  const verdicts = KNOWN_CHAINS.map((chain: Chain) => {
    const { verdict, unsafeHop } = judgeChain(chain);
    return [chain.name, verdict, unsafeHop];
  });
  assertEquals(verdicts, [
    [".NET 5 to Kestrel", "safe", null],
    [".NET 5 to Kestrel behind a 60 s balancer", "racy", "balancer"],
    [".NET 8 to Kestrel behind a 60 s balancer", "racy", "balancer"],
    ["node behind a 60 s balancer", "racy", "node:http"],
    [".NET 8 to node behind nginx", "racy", "node:http"],
    ["Go to Go through a balancer of packets", "safe", null],
    ["A pool without a limit through a balancer of packets", "unsafe", "Network Load Balancer"],
    ["A pool of 5 minutes through a silent balancer", "unsafe", "Azure Load Balancer"],
  ]);
});

Deno.test("a safe client stays a second below the shortest limit, and half of one that is short", () => {
  assertEquals(safeClientIdleMs({ name: "c", hops: [client(9e9), server(60_000)] }), 59_000);
  assertEquals(safeClientIdleMs({ name: "c", hops: [client(9e9), box(1000, "reset"), server(5000)] }), 500);
  assertEquals(safeClientIdleMs({ name: "c", hops: [client(1), server(null)] }), null);
});
