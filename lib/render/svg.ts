import { crc32 } from "node:zlib";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";
import type { Figure } from "../record/mod.ts";
import { plotlySource } from "./_plotly.ts";
import { sizeOf } from "./_size.ts";
import { openWindow, type PlotlyWindow } from "./_window.ts";
import { assertDrawable, type Edition } from "./drawable.ts";

/** How large a static picture is. */
export interface SvgOptions {
  /** Width in CSS pixels. @default {layout.width, or 760} */
  widthPx?: number;
  /** Height in CSS pixels. @default {layout.height, or 440} */
  heightPx?: number;
}

const windows = new Map<Edition, Promise<PlotlyWindow>>();
let turn: Promise<unknown> = Promise.resolve();

function windowOf(edition: Edition): Promise<PlotlyWindow> {
  let window = windows.get(edition);
  if (!window) {
    window = plotlySource(edition).then(({ source }) => openWindow(source));
    windows.set(edition, window);
    // Loading may fail for a reason that passes, and a notebook lives long.
    window.catch(() => windows.delete(edition));
  }
  return window;
}

async function draw(
  window: PlotlyWindow,
  json: string,
  size: { width: number; height: number },
): Promise<string> {
  const { Plotly } = window;
  const { data, layout }: Figure = JSON.parse(json);
  // Plotly draws its ids at random: seeded by the figure, the same figure gives the same bytes.
  const generator = mersenne(crc32(json));
  window.Math.random = () => uniformFloat64(generator);
  const element = window.document.createElement("div");
  try {
    const drawn = await Plotly.newPlot(element, data, { ...layout, ...size }, { staticPlot: true });
    const lost = drawn._fullData.findIndex((trace, index) =>
      !trace.visible && data[index]?.visible !== false
    );
    if (lost >= 0) {
      throw new TypeError(
        `Cannot draw figure as data[${lost}] has nothing in it that a ${data[lost]?.type} can show`,
      );
    }
    // Plotly's stand-in for quotation marks inside attributes, which it removes in the way of one browser only.
    return Plotly.Snapshot.toSVG(drawn, "svg", 1).replaceAll("TOBESTRIPPED", "'");
  } finally {
    Plotly.purge(element);
  }
}

/**
 * Draws a figure as a static SVG: by plotly.js itself, in a window without a screen. The same figure gives
 * the same bytes.
 *
 * @param figure the figure
 * @param options the size
 * @returns the SVG
 * @throws {TypeError} the figure cannot be drawn; see {@linkcode assertDrawable}
 * @throws {RangeError} the size is out of range
 *
 * @example
 * ```ts ignore
 * import { renderSvg } from "./svg.ts";
 * const svg = await renderSvg({ data: [{ type: "bar", x: ["new"], y: [81] }], layout: {} });
 * ```
 */
export async function renderSvg(figure: Figure, options: SvgOptions = {}): Promise<string> {
  const edition = assertDrawable(figure);
  const size = sizeOf(figure, options);
  const json = JSON.stringify(figure);
  const window = await windowOf(edition);
  // One at a time, since figures share the window's random numbers.
  const svg = turn.then(() => draw(window, json, size));
  turn = svg.catch(() => {});
  return await svg;
}
