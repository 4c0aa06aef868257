import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Figure } from "../record/mod.ts";
import { plotlySource } from "./_plotly.ts";
import { openWindow } from "./_window.ts";
import { assertDrawable } from "./drawable.ts";

function refuses(figure: unknown, message: string): void {
  assertThrows(() => assertDrawable(figure as Figure), TypeError, message);
}

async function traceTypes(edition: "cartesian" | "full"): Promise<string[]> {
  const { Plotly } = await openWindow((await plotlySource(edition)).source);
  return Object.keys(Plotly.PlotSchema.get().traces);
}

function verdict(type: string): string {
  try {
    return assertDrawable({ data: [{ type }], layout: {} });
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("assertDrawable names the smallest edition that draws all traces", () => {
  const bar = { type: "bar", y: [1] };
  assertEquals(assertDrawable({ data: [bar], layout: {} }), "cartesian");
  assertEquals(assertDrawable({ data: [bar, { type: "sankey" }, bar], layout: {} }), "full");
});

Deno.test("assertDrawable knows every trace of both editions of plotly", async () => {
  const [small, full] = [await traceTypes("cartesian"), await traceTypes("full")];
  for (const type of full) {
    const said = verdict(type);
    if (small.includes(type)) assertEquals(said, "cartesian", type);
    else {assert(
        said === "full" || said.includes("of which there is no static picture: use "),
        `${type}: ${said}`,
      );}
  }
});

Deno.test("assertDrawable names the trace that has no static picture and what to use instead", () => {
  const bar = { type: "bar", y: [1] };
  refuses({ data: [bar, { type: "scattergl", y: [1] }], layout: {} }, "data[1].type is scattergl");
  refuses(
    { data: [{ type: "scatter3d" }], layout: {} },
    "use scatter with the third quantity as marker.color",
  );
  refuses({ data: [{ type: "table" }], layout: {} }, "use show(rows)");
});

Deno.test("assertDrawable refuses a trace that plotly does not have, and lists those that it draws", () => {
  refuses(
    { data: [{ type: "scater" }], layout: {} },
    "data[0].type is scater, which plotly does not have: use one of scatter, bar",
  );
  refuses({ data: [{ type: "constructor" }], layout: {} }, "which plotly does not have");
  refuses(
    { data: [{ y: [1] }], layout: {} },
    "data[0].type must name a trace such as scatter: current value is undefined",
  );
  refuses({ data: [null], layout: {} }, "data[0] must be a trace: current value is null");
});

Deno.test("assertDrawable refuses what is no figure", () => {
  for (
    const figure of [null, undefined, 3, [], {}, { data: {}, layout: {} }, { data: [] }, {
      data: [],
      layout: [],
    }]
  ) {
    refuses(figure, "Cannot draw figure as it must be { data, layout }");
  }
  refuses({ data: [], layout: {} }, "it has no trace");
});

Deno.test("assertDrawable refuses what JSON would lose, with the place and the remedy", () => {
  const withY = (y: unknown) => ({ data: [{ type: "scatter", y }], layout: {} });
  refuses(withY([1, NaN]), "data[0].y[1] is NaN, which JSON cannot carry: use null for a gap");
  refuses(withY([Infinity]), "data[0].y[0] is Infinity");
  refuses(
    withY(Float64Array.of(1)),
    "data[0].y is a Float64Array, which JSON cannot carry: make it a plain array",
  );
  refuses(withY([undefined]), "data[0].y[0] is undefined");
  refuses(withY([1n]), "data[0].y[0] is a bigint");
  refuses(withY([new Date(0)]), "data[0].y[0] is a Date");
  refuses(
    { data: [{ type: "bar" }], layout: { xaxis: { range: [0, NaN] } } },
    "layout.xaxis.range[1] is NaN",
  );
  assertDrawable({ data: [{ type: "scatter", y: [1, null], name: undefined }], layout: {} });
});

Deno.test("assertDrawable refuses pictures from the network", () => {
  refuses(
    { data: [{ type: "image", source: "https://example.org/a.png" }], layout: {} },
    "an image with a source",
  );
  refuses(
    { data: [{ type: "bar" }], layout: { images: [{ source: "https://example.org/a.png" }] } },
    "layout.images[0].source must not come from the network",
  );
  assertDrawable({ data: [{ type: "bar" }], layout: { images: [{ source: "data:image/png;base64,AA==" }] } });
});
