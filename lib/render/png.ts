import type { ImageData } from "fast-png";
import type { Figure } from "../record/mod.ts";
import { loadFonts } from "./_fonts.ts";
import { renderSvg, type SvgOptions } from "./svg.ts";

/** What a palette of a PNG holds at most. */
const MOST_COLORS = 256;

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

/** Most figures have few colours: as places in a palette, their file is half as large. */
function paletteOf(pixels: Uint8Array): Pick<ImageData, "channels" | "data" | "palette"> | null {
  const places = new Map<number, number>();
  const data = new Uint8Array(pixels.length / 4);
  for (let pixel = 0; pixel < data.length; pixel++) {
    const [red, green, blue] = [pixels[4 * pixel]!, pixels[4 * pixel + 1]!, pixels[4 * pixel + 2]!];
    const color = red << 16 | green << 8 | blue;
    let place = places.get(color);
    if (place === undefined) {
      place = places.size;
      if (place === MOST_COLORS) return null;
      places.set(color, place);
    }
    data[pixel] = place;
  }
  const palette = [...places.keys()].map((color) => [color >> 16, color >> 8 & 0xff, color & 0xff]);
  return { data, channels: 1, palette };
}
