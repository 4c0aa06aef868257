import { assertEquals, assertThrows } from "@std/assert";
import type { ServerEnd } from "./contract.ts";
import { ServerEnds } from "./server_ends.ts";

const END: ServerEnd = { code: 1, signal: null, said: ["Out of descriptors"], atMs: 20 };

Deno.test("an end is known to who waits for it and to who looks later, the first one alone", async () => {
  const ends = new ServerEnds(["frail", "other"]);
  const waiting = ends.ended("frail");
  assertEquals(ends.endOf("frail"), null);
  ends.take("frail", END);
  ends.take("frail", { ...END, code: 2 });
  assertEquals([await waiting, await ends.ended("frail"), ends.endOf("frail")], [END, END, END]);
  assertEquals(ends.endOf("other"), null);
});

Deno.test("a server that may not end is not waited for", () => {
  const ends = new ServerEnds(["frail"]);
  for (
    const look of [() => ends.ended("origin"), () => ends.endOf("origin"), () => ends.take("origin", END)]
  ) {
    assertThrows(look, RangeError, "server origin as it may not end: those that may are frail");
  }
  assertThrows(() => new ServerEnds().endOf("origin"), RangeError, "none may");
});
