import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "../record/mod.ts";
import { requirePlainParams } from "./plain_params.ts";

Deno.test("requirePlainParams() lets through what JSON keeps", () => {
  const params = { a: "x", b: 1.5, c: true, d: null, e: [1, "2s"], f: undefined };
  assertEquals(requirePlainParams(params), params);
});

Deno.test("requirePlainParams() refuses what JSON would change, and names it", () => {
  for (
    const value of [NaN, Infinity, 1n, Symbol("s"), () => 1, {}, new Date(0), [1, NaN], [undefined], [[1n]]]
  ) {
    assertThrows(() => requirePlainParams({ idle: value }), MisuseError, "Cannot use idle as it must be");
  }
});
