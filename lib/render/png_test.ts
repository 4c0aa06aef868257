import { assert, assertEquals, assertRejects } from "@std/assert";
import { convertIndexedToRgb, decode } from "fast-png";
import { renderPng } from "./png.ts";

const figure = {
  data: [{
    type: "heatmap",
    z: [[0, 1], [1, 0]],
    colorscale: [[0, "#FF0000"], [1, "#0000FF"]],
    showscale: false,
  }],
  layout: { title: { text: "Four cells" }, width: 200, height: 160, margin: { l: 20, r: 20, t: 60, b: 20 } },
};

/** A picture with three bytes a pixel, however it is kept. */
function inColor(png: Uint8Array): { width: number; data: ArrayLike<number> & Uint8Array } {
  const decoded = decode(png);
  const data = decoded.palette === undefined ? decoded.data : convertIndexedToRgb(decoded);
  assertEquals(data.length, decoded.width * decoded.height * 3);
  return { width: decoded.width, data: data as Uint8Array };
}

/** How many pixels of a region fulfil a condition on red, green and blue. */
function count(
  png: Uint8Array,
  [left, top, right, bottom]: readonly [number, number, number, number],
  is: (red: number, green: number, blue: number) => boolean,
): number {
  const { width, data } = inColor(png);
  let found = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const [red, green, blue] = data.subarray((row * width + column) * 3);
      if (is(red!, green!, blue!)) found++;
    }
  }
  return found;
}

Deno.test("renderPng is twice as fine as the figure unless told otherwise", async () => {
  const { width, height } = decode(await renderPng(figure));
  assertEquals([width, height], [400, 320]);
  assertEquals(decode(await renderPng(figure, { zoom: 1, widthPx: 120 })).width, 120);
});

Deno.test("renderPng shows text, on white", async () => {
  const png = await renderPng(figure);
  assert(count(png, [0, 0, 400, 100], (red, green, blue) => red + green + blue < 300) > 100);
  assertEquals(count(png, [0, 0, 10, 10], (red, green, blue) => red + green + blue === 765), 100);
});

Deno.test("renderPng draws the cells of a heatmap with sharp edges", async () => {
  const png = await renderPng(figure);
  const inside = [60, 140, 340, 260] as const;
  const red = count(png, inside, (red, green, blue) => red > 250 && green < 5 && blue < 5);
  const blue = count(png, inside, (red, green, blue) => blue > 250 && green < 5 && red < 5);
  assert(red > 10_000 && blue > 10_000 && red + blue > 0.97 * 280 * 120, `${red} and ${blue}`);
});

Deno.test("renderPng keeps every colour, in a palette where they fit in one", async () => {
  const shades = (count: number) => ({
    data: [{
      type: "heatmap",
      z: [Array.from({ length: count }, (_, place) => place)],
      colorscale: [[0, "#000000"], [1, "#0000FF"]],
      showscale: false,
    }],
    layout: { width: 800, height: 160, xaxis: { visible: false }, yaxis: { visible: false } },
  });
  for (const [count, kept] of [[8, true], [400, false]] as const) {
    const png = await renderPng(shades(count));
    assertEquals(decode(png).palette !== undefined, kept);
    const { data } = inColor(png);
    const colors = new Set<number>();
    for (let at = 0; at < data.length; at += 3) {
      if (data[at] === 0 && data[at + 1] === 0) colors.add(data[at + 2]!);
    }
    assertEquals(colors.size, Math.min(count, 256));
  }
});

Deno.test("renderPng gives the same bytes for the same figure", async () => {
  assertEquals(await renderPng(figure), await renderPng(figure));
});

Deno.test("renderPng refuses a zoom out of range", async () => {
  for (const zoom of [0, 100, NaN]) {
    await assertRejects(() => renderPng(figure, { zoom }), RangeError, `current value is ${zoom}`);
  }
});
