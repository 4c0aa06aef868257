import { assertEquals, assertThrows } from "@std/assert";
import { parseTimeWaitTotal } from "./sockstat.ts";

Deno.test("the count of TIME_WAIT is that of TCP", () => {
  const text = "sockets: used 20015\nTCP: inuse 1 orphan 0 tw 20000 alloc 1 mem 34\nUDP: inuse 0 mem 0\n" +
    "UDPLITE: inuse 0\nRAW: inuse 0\nFRAG: inuse 0 memory 0\n";
  assertEquals(parseTimeWaitTotal(text), 20_000);
});

Deno.test("a text without a count is not taken for none", () => {
  assertThrows(() => parseTimeWaitTotal("sockets: used 15\nUDP: inuse 0 mem 0\n"), RangeError);
  assertThrows(() => parseTimeWaitTotal(""), RangeError);
});
