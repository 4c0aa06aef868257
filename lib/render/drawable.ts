import type { Figure } from "../record/mod.ts";

/** One of the two editions of plotly.js: the lab's own figures need no more than the small one. */
export type Edition = "cartesian" | "full";

/** The traces that are drawn, and the smallest edition that draws them. */
const EDITIONS: ReadonlyMap<string, Edition> = new Map([
  ..."scatter bar box violin histogram heatmap contour histogram2d histogram2dcontour pie image scatterternary"
    .split(" ").map((type) => [type, "cartesian"] as const),
  ...("funnel funnelarea waterfall candlestick ohlc scatterpolar barpolar scattersmith " +
    "sunburst treemap icicle sankey parcats indicator")
    .split(" ").map((type) => [type, "full"] as const),
]);

/** Traces that need WebGL, map tiles from the network or a layout engine, and what to draw instead. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  scattergl: "scatter with at most 4,000 points",
  scatterpolargl: "scatterpolar",
  splom: "a scatter for each pair, in subplots",
  parcoords: "parcats, or a scatter for each pair",
  scatter3d: "scatter with the third quantity as marker.color",
  surface: "heatmap or contour",
  mesh3d: "contour",
  isosurface: "contour",
  volume: "contour",
  cone: "scatter",
  streamtube: "scatter",
  scattergeo: "scatter with longitude and latitude",
  choropleth: "bar",
  scattermap: "scatter with longitude and latitude",
  choroplethmap: "bar",
  densitymap: "histogram2d",
  scattermapbox: "scatter with longitude and latitude",
  choroplethmapbox: "bar",
  densitymapbox: "histogram2d",
  carpet: "contour",
  scattercarpet: "scatter",
  contourcarpet: "contour",
  table: "show(rows)",
};

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number") return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  return `a ${value.constructor?.name ?? "nameless object"}`;
}

/** Refuses what JSON would lose or change without a word. */
function checkJson(value: unknown, where: string): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (Array.isArray(value)) return value.forEach((item, index) => checkJson(item, `${where}[${index}]`));
  if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) checkJson(item, `${where}.${key}`);
    }
    return;
  }
  const remedy = typeof value === "number"
    ? "use null for a gap"
    : ArrayBuffer.isView(value)
    ? "make it a plain array with Array.from()"
    : "use text, numbers, true, false, null, and arrays and objects of them";
  throw new TypeError(
    `Cannot draw figure as ${where} is ${describe(value)}, which JSON cannot carry: ${remedy}`,
  );
}

function checkTrace(trace: unknown, index: number): Edition {
  if (!isRecord(trace)) {
    throw new TypeError(
      `Cannot draw figure as data[${index}] must be a trace: current value is ${describe(trace)}`,
    );
  }
  const { type } = trace;
  if (typeof type !== "string") {
    throw new TypeError(
      `Cannot draw figure as data[${index}].type must name a trace such as scatter: ` +
        `current value is ${describe(type)}`,
    );
  }
  const edition = EDITIONS.get(type);
  if (edition === undefined) {
    const instead = Object.hasOwn(ALTERNATIVES, type) ? ALTERNATIVES[type] : undefined;
    throw new TypeError(
      instead === undefined
        ? `Cannot draw figure as data[${index}].type is ${type}, which plotly does not have: ` +
          `use one of ${[...EDITIONS.keys()].join(", ")}`
        : `Cannot draw figure as data[${index}].type is ${type}, of which there is no static picture: use ${instead}`,
    );
  }
  if (type === "image" && trace.source !== undefined) {
    throw new TypeError(
      `Cannot draw figure as data[${index}] is an image with a source, of which there is no static picture: use z`,
    );
  }
  return edition;
}

function checkImages(images: unknown): void {
  if (!Array.isArray(images)) return;
  images.forEach((image, index) => {
    if (isRecord(image) && typeof image.source === "string" && !image.source.startsWith("data:")) {
      throw new TypeError(
        `Cannot draw figure as layout.images[${index}].source must not come from the network: use a data: URL`,
      );
    }
  });
}

/**
 * Checks that a figure can be drawn, both as a static picture and in a page, with nothing from the network.
 *
 * @param figure the figure
 * @returns the edition of plotly.js that it needs
 * @throws {TypeError} it is not a plain `{ data, layout }`, has something in it that JSON cannot carry
 * (`NaN`, a typed array, a date …), no trace, or a trace that cannot be drawn; the message names the place
 * and what to use instead
 *
 * @example
 * ```ts
 * import { assertDrawable } from "./drawable.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 * assertEquals(assertDrawable({ data: [{ type: "bar", y: [1] }], layout: {} }), "cartesian");
 * assertThrows(
 *   () => assertDrawable({ data: [{ type: "scattergl", y: [1] }], layout: {} }),
 *   TypeError,
 *   "data[0].type is scattergl, of which there is no static picture: use scatter",
 * );
 * ```
 */
export function assertDrawable(figure: Figure): Edition {
  const { data, layout }: { data?: unknown; layout?: unknown } = isRecord(figure) ? figure : {};
  if (!Array.isArray(data) || !isRecord(layout)) {
    throw new TypeError(
      "Cannot draw figure as it must be { data, layout } with an array of traces and a plain object",
    );
  }
  if (data.length === 0) throw new TypeError("Cannot draw figure as it has no trace");
  const editions = data.map(checkTrace);
  checkJson(data, "data");
  checkJson(layout, "layout");
  checkImages(layout.images);
  return editions.includes("full") ? "full" : "cartesian";
}
