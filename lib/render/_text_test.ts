import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { createMeasureText } from "./_text.ts";

const measure = await createMeasureText();

Deno.test("text is as wide as the font says", () => {
  // DejaVu Sans: the advance width of an H is 1540 of 2048 units, that of a space 651.
  assertAlmostEquals(measure("H", { size: 2048, bold: false }), 1540, 25);
  assertAlmostEquals(measure("H  ", { size: 2048, bold: false }), 1540 + 2 * 651, 25);
  assertEquals(measure("", { size: 12, bold: false }), 0);
});

Deno.test("text grows with its size and its weight, whatever characters it has", () => {
  const width = (size: number, bold: boolean) => measure("p99 < 3 ms & more", { size, bold });
  assertAlmostEquals(width(24, false), 2 * width(12, false), 1e-9);
  assert(width(12, true) > 1.05 * width(12, false));
  assert(width(12, false) > 80);
});
