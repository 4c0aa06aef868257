import { assert, assertEquals } from "@std/assert";
import { themed } from "./_layout.ts";

Deno.test("a long title is broken into lines and gets the room for them", () => {
  const short = themed({ title: "Short" }, [], {});
  const long = themed({ title: "A sentence of many words ".repeat(6).trim() }, [], {});
  const text = (layout: typeof long) => (layout.title as { text: string }).text;
  assertEquals(text(short), "<b>Short</b>");
  const lines = text(long).replace(/<\/?b>/g, "").split("<br>");
  assert(lines.length === 3 && lines.every((line) => line.length <= 66), `${lines}`);
  const top = (layout: typeof long) => (layout.margin as { t: number }).t;
  assert(top(long) > top(short));
});

Deno.test("a figure without subtitle and notes has no subtitle", () => {
  assertEquals((themed({ title: "t" }, [], {}).title as { subtitle?: unknown }).subtitle, undefined);
});
