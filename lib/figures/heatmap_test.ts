import { assertEquals, assertThrows } from "@std/assert";
import { heatmap, type HeatmapOptions } from "./heatmap.ts";

const GRID: HeatmapOptions = {
  title: "t",
  xLabel: "Pause",
  columns: ["1 s", "2 s"],
  rows: ["GET", "POST"],
  outcomes: [{ name: "answered", color: "#009E73" }, { name: "lost" }, { name: "reset", color: "#D55E00" }],
  cells: [
    { x: "1 s", y: "GET", outcome: "answered" },
    { x: "2 s", y: "GET", outcome: "reset", text: "1/3" },
    { x: "2 s", y: "POST", outcome: "reset" },
  ],
};

Deno.test("heatmap draws each cell as its outcome, and leaves a place without a cell empty", () => {
  const { data: [cells, ...legend], layout } = heatmap(GRID);
  assertEquals(cells!.z, [[0, 1], [null, 1]]);
  assertEquals(cells!.customdata, [["answered", "reset"], ["", "reset"]]);
  assertEquals(legend.map(({ name, marker }) => [name, (marker as { color: string }).color]), [
    ["answered", "#009E73"],
    ["reset", "#D55E00"],
  ]);
  assertEquals((layout.annotations as { text: string }[]).map(({ text }) => text), ["1/3"]);
});

Deno.test("heatmap has its legend at the foot of the figure, however many rows it has", () => {
  const { yref, yanchor } = heatmap(GRID).layout.legend as Record<string, unknown>;
  assertEquals([yref, yanchor], ["container", "bottom"]);
});

Deno.test("heatmap has a flat colour for each outcome", () => {
  const { data: [cells] } = heatmap(GRID);
  assertEquals([cells!.zmin, cells!.zmax], [-0.5, 1.5]);
  assertEquals(cells!.colorscale, [[0, "#009E73"], [0.5, "#009E73"], [0.5, "#D55E00"], [1, "#D55E00"]]);
});

Deno.test("heatmap colours outcomes that name no colour each in its own", () => {
  const outcomes = GRID.outcomes.map(({ name }) => ({ name }));
  const { data: [_, one, other] } = heatmap({ ...GRID, outcomes });
  const color = (trace: typeof one) => (trace!.marker as { color: string }).color;
  assertEquals(color(one) === color(other), false);
});

Deno.test("heatmap refuses cells that it cannot place or name, and a grid without any", () => {
  const refuse = (cells: HeatmapOptions["cells"], message: string) =>
    assertThrows(() => heatmap({ ...GRID, cells }), RangeError, message);
  refuse([], "there are no cells");
  refuse([{ x: "3 s", y: "GET", outcome: "lost" }], "there is no place 3 s, GET");
  refuse([{ x: "1 s", y: "GET", outcome: "found" }], "there is no outcome found");
  refuse([GRID.cells[0]!, GRID.cells[0]!], "two cells are at 1 s, GET");
  refuse(new Array(4001).fill(GRID.cells[0]), "it has 4001");
});
