import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import type { Figure } from "../record/mod.ts";
import { renderSvg } from "./svg.ts";

const lines: Figure = {
  data: [
    { type: "scatter", name: "raw/new", x: [1, 2, 3], y: [80, 82, 81] },
    { type: "scatter", name: "raw/shared", x: [1, 2, 3], y: [20, 21, 20] },
  ],
  layout: { title: { text: "A title to look for" }, yaxis: { title: { text: "Elapsed (ms)" } } },
};
const bar: Figure = { data: [{ type: "bar", x: ["a"], y: [1] }], layout: {} };

Deno.test("renderSvg draws title, axes, legend and traces", async () => {
  const svg = await renderSvg(lines);
  assertMatch(svg, /^<svg [^>]*width="760" height="440"/);
  for (const text of ["A title to look for", "Elapsed (ms)", "raw/new", "raw/shared"]) {
    assert(svg.includes(`>${text}<`), text);
  }
  assertEquals(svg.match(/<g class="trace scatter /g)?.length, 2);
});

Deno.test("renderSvg gives the same bytes for the same figure, whatever is drawn between and meanwhile", async () => {
  const first = await renderSvg(lines);
  await renderSvg(bar);
  assertEquals(await renderSvg(structuredClone(lines)), first);
  const [again, other, third] = await Promise.all([renderSvg(lines), renderSvg(bar), renderSvg(lines)]);
  assertEquals(again, first);
  assertEquals(third, first);
  assertNotEquals(other, first);
});

Deno.test("renderSvg takes its size from the options, then from the layout", async () => {
  const sized = { ...bar, layout: { width: 300, height: 200 } };
  assertMatch(await renderSvg(sized), /^<svg [^>]*width="300" height="200"/);
  assertMatch(await renderSvg(sized, { widthPx: 500 }), /^<svg [^>]*width="500" height="200"/);
  for (const widthPx of [0, -1, NaN, 1e6]) {
    await assertRejects(() => renderSvg(bar, { widthPx }), RangeError, `current value is ${widthPx}`);
  }
});

Deno.test("renderSvg leaves the figure as it is", async () => {
  const figure = structuredClone(lines);
  await renderSvg(figure);
  assertEquals(figure, lines);
});

Deno.test("renderSvg gives a legend the room that its text takes", async () => {
  const named = (name: string) => ({ ...lines, data: lines.data.map((trace) => ({ ...trace, name })) });
  const plotWidth = async (name: string) =>
    Number(
      (await renderSvg(named(name))).match(/<clipPath id="clip\w+xyplot"[^>]*><rect width="([\d.]+)"/)?.[1],
    );
  const [narrow, wide] = [await plotWidth("i"), await plotWidth("W".repeat(20))];
  assert(narrow - wide > 150, `${narrow} and ${wide}`);
});

Deno.test("renderSvg refuses a figure in which nothing would be seen, and draws the next one", async () => {
  await assertRejects(
    () => renderSvg({ data: [lines.data[0]!, { type: "scatter", x: [], y: [] }], layout: {} }),
    TypeError,
    "Cannot draw figure as data[1] has nothing in it that a scatter can show",
  );
  const hidden = { type: "scatter", x: [], y: [], visible: false };
  assert((await renderSvg({ data: [lines.data[0]!, hidden], layout: {} })).includes("js-line"));
});

const INK = "#123456";
const FILLED = /fill: rgb\(18, 52, 86\)/;
const DRAWN = /(?:fill|stroke): rgb\(18, 52, 86\)/;
const IMAGE = /<image /;
const prices = {
  open: [1, 2],
  high: [3, 4],
  low: [0, 1],
  close: [2, 3],
  increasing: { line: { color: INK } },
};
const tree = { labels: ["a", "b", "c"], parents: ["", "a", "a"], marker: { colors: [INK, INK, INK] } };
const grid = [[1, 2, 3], [4, 5, 6], [7, 8, 3]];
const pairs = { x: [1, 2, 2, 3], y: [1, 2, 2, 3] };

/** An example of every trace that is accepted, and what shows that it was drawn. */
const examples: Record<string, readonly [Record<string, unknown>, RegExp]> = {
  scatter: [{ x: [1, 2], y: [1, 2], line: { color: INK } }, DRAWN],
  bar: [{ y: [1, 2], marker: { color: INK } }, FILLED],
  box: [{ y: [1, 2, 9], line: { color: INK } }, DRAWN],
  violin: [{ y: [1, 2, 2, 9], line: { color: INK } }, DRAWN],
  histogram: [{ x: [1, 2, 2], marker: { color: INK } }, FILLED],
  heatmap: [{ z: grid, showscale: false }, IMAGE],
  contour: [{ z: grid, contours: { coloring: "none", showlabels: true }, line: { color: INK } }, DRAWN],
  histogram2d: [{ ...pairs, showscale: false }, IMAGE],
  histogram2dcontour: [{ ...pairs, contours: { coloring: "none" }, line: { color: INK } }, DRAWN],
  pie: [{ values: [1, 2], marker: { colors: [INK, INK] } }, FILLED],
  image: [{ z: [[[255, 0, 0], [0, 0, 255]]] }, IMAGE],
  scatterternary: [{ a: [1, 2], b: [2, 1], c: [3, 3], line: { color: INK } }, DRAWN],
  funnel: [{ y: ["a", "b"], x: [2, 1], marker: { color: INK } }, FILLED],
  funnelarea: [{ values: [2, 1], marker: { colors: [INK, INK] } }, FILLED],
  waterfall: [{ y: [2, 1], increasing: { marker: { color: INK } } }, FILLED],
  candlestick: [{ x: [1, 2], ...prices }, DRAWN],
  ohlc: [{ x: [1, 2], ...prices }, DRAWN],
  scatterpolar: [{ r: [1, 2], theta: [0, 90], line: { color: INK } }, DRAWN],
  barpolar: [{ r: [1, 2], theta: [0, 90], marker: { color: INK } }, FILLED],
  scattersmith: [{ real: [0.5, 1], imag: [0.5, 1], line: { color: INK } }, DRAWN],
  sunburst: [tree, FILLED],
  treemap: [tree, FILLED],
  icicle: [tree, FILLED],
  sankey: [
    { node: { label: ["a", "b"], color: INK }, link: { source: [0], target: [1], value: [1] } },
    FILLED,
  ],
  parcats: [{ dimensions: [{ values: [1, 2] }, { values: [3, 4] }], line: { color: INK } }, /fill="#123456"/],
  indicator: [{ mode: "gauge", value: 42, gauge: { bar: { color: INK } } }, FILLED],
};

for (const [type, [trace, shown]] of Object.entries(examples)) {
  Deno.test(`renderSvg draws ${type}`, async () => {
    const layout = { colorway: ["#ABCDEF"] };
    assertMatch(await renderSvg({ data: [{ type, ...trace }], layout }), shown);
  });
}
