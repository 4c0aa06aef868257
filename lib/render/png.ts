import type { Figure } from "../record/mod.ts";
import { loadFonts } from "./_fonts.ts";
import { renderSvg, type SvgOptions } from "./svg.ts";

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
  // Nothing shines through a white ground: without opacity the file is a third smaller.
  const data = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; to < data.length; from += 4) {
    data[to++] = pixels[from]!;
    data[to++] = pixels[from + 1]!;
    data[to++] = pixels[from + 2]!;
  }
  return encode({ width, height, data, channels: 3 });
}
