import { assertEquals } from "@std/assert";
import { parseTransform, transformBox, unite } from "./_geometry.ts";

const box = { left: 0, top: 0, right: 10, bottom: 2 };

function rounded(transform: string): number[] {
  const { left, top, right, bottom } = transformBox(parseTransform(transform), box);
  return [left, top, right, bottom].map((edge) => Math.round(edge * 1e6) / 1e6 + 0);
}

Deno.test("parseTransform reads the functions that plotly writes, applied from the right", () => {
  assertEquals(rounded("translate(5,7)"), [5, 7, 15, 9]);
  assertEquals(rounded("translate(5)"), [5, 0, 15, 2]);
  assertEquals(rounded("scale(2)"), [0, 0, 20, 4]);
  assertEquals(rounded("rotate(90)"), [-2, 0, 0, 10]);
  assertEquals(rounded("rotate(-90,10,0)"), [10, 0, 12, 10]);
  assertEquals(rounded("matrix(1 0 0 1 3 4)"), [3, 4, 13, 6]);
  assertEquals(rounded("translate(100, 0) rotate(90)"), [98, 0, 100, 10]);
  assertEquals(parseTransform(null), [1, 0, 0, 1, 0, 0]);
});

Deno.test("unite gives the box around boxes", () => {
  assertEquals(unite([box, { left: -1, top: 1, right: 3, bottom: 9 }]), {
    left: -1,
    top: 0,
    right: 10,
    bottom: 9,
  });
  assertEquals(unite([]), null);
});
