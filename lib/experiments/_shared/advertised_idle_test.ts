import { assertEquals } from "@std/assert";
import { advertisedIdleMs } from "./advertised_idle.ts";

const HEADS: readonly [fields: string, ms: number | null][] = [
  ["Keep-Alive: timeout=5", 5000],
  ["keep-alive:timeout=120", 120_000],
  ["KEEP-ALIVE: max=100, timeout=15", 15_000],
  ['Keep-Alive: timeout="7" , max=1', 7000],
  ["Keep-Alive: timeout=0", 0],
  ["Connection: keep-alive\r\nKeep-Alive: max=2\r\nKeep-Alive: timeout=3", 3000],
  ["Keep-Alive: 115", null],
  ["Keep-Alive: timeout=-1", null],
  ["Keep-Alive: timeout=1.5", null],
  ["Keep-Alive: xtimeout=1", null],
  ["X-Keep-Alive: timeout=1", null],
  ["Connection: keep-alive", null],
];

for (const [fields, ms] of HEADS) {
  Deno.test(`advertisedIdleMs() reads ${JSON.stringify(fields)} as ${ms}`, () => {
    assertEquals(advertisedIdleMs(`HTTP/1.1 200 OK\r\n${fields}\r\ncontent-length: 0\r\n\r\n`), ms);
  });
}

Deno.test("advertisedIdleMs() looks into the final head, not into interim ones or a body", () => {
  const final = "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=2\r\n\r\n";
  assertEquals(advertisedIdleMs(`HTTP/1.1 103 Early Hints\r\nKeep-Alive: timeout=9\r\n\r\n${final}`), 2000);
  assertEquals(advertisedIdleMs("HTTP/1.1 200 OK\r\na: b\r\n\r\nKeep-Alive: timeout=5\r\n\r\n"), null);
  assertEquals(advertisedIdleMs(""), null);
});
