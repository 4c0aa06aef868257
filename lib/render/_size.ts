import type { Figure } from "../record/mod.ts";
import type { SvgOptions } from "./svg.ts";

/** The size of a figure's picture in CSS pixels. */
export function sizeOf(
  figure: Figure,
  options: SvgOptions,
): { readonly width: number; readonly height: number } {
  const { width, height } = figure.layout;
  const size = {
    width: options.widthPx ?? (typeof width === "number" ? width : 760),
    height: options.heightPx ?? (typeof height === "number" ? height : 440),
  };
  for (const [side, px] of Object.entries(size)) {
    // Plotly lays out nothing below 10 pixels; far above 10,000 there is no memory for the picture.
    if (!(px >= 10 && px <= 10_000)) {
      throw new RangeError(
        `Cannot draw figure as its ${side} must be from 10 to 10000 px: current value is ${px}`,
      );
    }
  }
  return size;
}
