import type { ImageData } from "fast-png";
import type { Figure } from "../record/mod.ts";
import { loadFonts } from "./_fonts.ts";
import { renderSvg, type SvgOptions } from "./svg.ts";

/** What a palette of a PNG holds at most. */
const MOST_COLORS = 256;

/** Colours beyond which a picture is no drawing of a few, and keeps all of them. */
const MOST_SHADES = 4096;

/** By how much a channel of a rare colour may change, of 255: on an edge of a pixel's width nobody sees it. */
const MOST_DIFFERENCE = 48;

/** How large a picture is and how fine. */
export interface PngOptions extends SvgOptions {
  /** Pixels of the picture for each CSS pixel, from 0.1 to 8. @default {2} */
  zoom?: number;
}

/**
 * Draws a figure as a PNG on white ground. The same figure gives the same bytes.
 *
 * @param figure the figure
 * @param options the size
 * @returns the bytes of the file
 * @throws {TypeError} the figure cannot be drawn; see {@linkcode assertDrawable}
 * @throws {RangeError} the size is out of range
 *
 * @example
 * ```ts ignore
 * import { renderPng } from "./png.ts";
 * const png = await renderPng({ data: [{ type: "bar", x: ["new"], y: [81] }], layout: {} });
 * await Deno.writeFile("elapsed.png", png);
 * ```
 */
export async function renderPng(figure: Figure, options: PngOptions = {}): Promise<Uint8Array> {
  const { zoom = 2 } = options;
  if (!(zoom >= 0.1 && zoom <= 8)) {
    throw new RangeError(`Cannot draw figure as zoom must be from 0.1 to 8: current value is ${zoom}`);
  }
  const svg = await renderSvg(figure, options);
  const [{ Resvg }, { encode }, font] = await Promise.all([
    import("@resvg/resvg-js"),
    import("fast-png"),
    loadFonts(),
  ]);
  const { width, height, pixels } = new Resvg(svg, {
    font,
    fitTo: { mode: "zoom", value: zoom },
    background: "white",
    // The cells of a heatmap stay squares: resvg does not know the name by which plotly asks for it.
    imageRendering: 1,
  }).render();
  return encode({ width, height, ...paletteOf(pixels) ?? withoutOpacity(pixels) });
}

/** Nothing shines through a white ground: without opacity the file is a third smaller. */
function withoutOpacity(pixels: Uint8Array): Pick<ImageData, "channels" | "data"> {
  const data = new Uint8Array(pixels.length / 4 * 3);
  for (let from = 0, to = 0; to < data.length; from += 4) {
    data[to++] = pixels[from]!;
    data[to++] = pixels[from + 1]!;
    data[to++] = pixels[from + 2]!;
  }
  return { data, channels: 3 };
}

/**
 * Most figures have few colours, and more only where edges of text and lines run into each other, where the rarest
 * become the nearest of the others: as places in a palette, their file is half as large.
 */
function paletteOf(pixels: Uint8Array): Pick<ImageData, "channels" | "data" | "palette"> | null {
  const counts = new Map<number, number>();
  for (let from = 0; from < pixels.length; from += 4) {
    const color = colorAt(pixels, from);
    counts.set(color, (counts.get(color) ?? 0) + 1);
    if (counts.size > MOST_SHADES) return null;
  }
  const colors = [...counts.keys()].sort((one, other) => counts.get(other)! - counts.get(one)!);
  const palette = colors.slice(0, MOST_COLORS).map(channelsOf);
  const places = new Map(colors.map((color, place) => [color, place]));
  for (const color of colors.slice(MOST_COLORS)) {
    const place = nearest(palette, channelsOf(color));
    if (place === null) return null;
    places.set(color, place);
  }
  const data = new Uint8Array(pixels.length / 4);
  for (let pixel = 0; pixel < data.length; pixel++) data[pixel] = places.get(colorAt(pixels, 4 * pixel))!;
  return { data, channels: 1, palette };
}

function colorAt(pixels: Uint8Array, from: number): number {
  return pixels[from]! << 16 | pixels[from + 1]! << 8 | pixels[from + 2]!;
}

function channelsOf(color: number): number[] {
  return [color >> 16, color >> 8 & 0xff, color & 0xff];
}

/** The place of the colour that differs least in every channel; `null` when one can be told from it. */
function nearest(palette: readonly number[][], wanted: readonly number[]): number | null {
  const distances = palette.map((color) =>
    color.reduce((most, channel, at) => Math.max(most, Math.abs(channel - wanted[at]!)), 0)
  );
  const least = distances.reduce((low, distance) => Math.min(low, distance));
  return least <= MOST_DIFFERENCE ? distances.indexOf(least) : null;
}
