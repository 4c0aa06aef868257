import { assertEquals } from "@std/assert";
import { stamp } from "./stamp.ts";

Deno.test("stamp adds the origin and leaves the rest, and the figure given, as they are", () => {
  const figure = { data: [{ type: "bar", y: [1] }], layout: { height: 440 } };
  const origin = { run: "handshake-cost/20261201T101500Z-k3f9", hash: "sha256:0a1b" };
  assertEquals(stamp(figure, origin), { data: figure.data, layout: { height: 440, meta: origin } });
  assertEquals(figure.layout, { height: 440 });
});
