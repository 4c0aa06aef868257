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

/** Stripes of as many colours, from left to right. */
function stripes(count: number, colorscale: readonly (readonly [number, string])[]) {
  return {
    data: [{
      type: "heatmap",
      z: [Array.from({ length: count }, (_, place) => place)],
      colorscale,
      showscale: false,
    }],
    layout: { width: 800, height: 160, xaxis: { visible: false }, yaxis: { visible: false } },
  };
}

/** How many colours the pixels of a picture have. */
function colorsIn(png: Uint8Array): number {
  const { data } = inColor(png);
  const pixels = Array.from(
    { length: data.length / 3 },
    (_, pixel) => data.subarray(3 * pixel, 3 * pixel + 3),
  );
  return new Set(pixels.map((channels) => channels.join())).size;
}

Deno.test("renderPng keeps colours in a palette, all of them where they fit in one", async () => {
  const blues = [[0, "#000000"], [1, "#0000FF"]] as const;
  const few = await renderPng(stripes(8, blues));
  assertEquals([decode(few).palette !== undefined, colorsIn(few)], [true, 9]);
  const more = await renderPng(stripes(400, blues));
  assertEquals([decode(more).palette?.length, colorsIn(more)], [256, 256]);
});

Deno.test("renderPng keeps every colour of a picture that has no few", async () => {
  const hues = Array.from({ length: 5 }, (_, stop) => [stop / 4, stop % 2 ? "#FF0000" : "#0000FF"] as const);
  const png = await renderPng(stripes(700, [[0, "#00FF00"], ...hues.slice(1, 3), [1, "#FFFFFF"]]));
  assertEquals(decode(png).palette !== undefined, false);
  assert(colorsIn(png) > 600);
});

Deno.test("renderPng gives the same bytes for the same figure", async () => {
  assertEquals(await renderPng(figure), await renderPng(figure));
});

Deno.test("renderPng refuses a zoom out of range", async () => {
  for (const zoom of [0, 100, NaN]) {
    await assertRejects(() => renderPng(figure, { zoom }), RangeError, `current value is ${zoom}`);
  }
});
