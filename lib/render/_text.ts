import { loadFonts } from "./_fonts.ts";
import { escapeHtml } from "./escape_html.ts";

/** How text is set. */
export interface TextStyle {
  /** Size of the font in user units. */
  readonly size: number;
  /** Whether it is bold. */
  readonly bold: boolean;
}

/** The advance width of text in user units. */
export type MeasureText = (text: string, style: TextStyle) => number;

// Widths grow with the size of the font, so that one measurement serves every size.
const MEASURED_SIZE = 100;

/**
 * Measures text with the engine and the fonts that draw it: legends and titles then get the room that
 * they take in the picture.
 */
export async function createMeasureText(): Promise<MeasureText> {
  const { Resvg } = await import("@resvg/resvg-js");
  const font = await loadFonts();
  const widths = new Map<string, number>();

  /** Where the ink ends. */
  function inkRight(text: string, bold: boolean): number {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">` +
      `<text xml:space="preserve" font-family="DejaVu Sans" font-size="${MEASURED_SIZE}" ` +
      `font-weight="${bold ? "bold" : "normal"}">${escapeHtml(text)}</text></svg>`;
    const box = new Resvg(svg, { font }).getBBox();
    return box ? box.x + box.width : 0;
  }

  return (text, { size, bold }) => {
    const key = `${bold ? "b" : "n"}${text}`;
    let width = widths.get(key);
    if (width === undefined) {
      // The bar has ink of its own, so that spaces at the end count.
      width = text === "" ? 0 : inkRight(`${text}|`, bold) - inkRight("|", bold);
      widths.set(key, width);
    }
    return width * size / MEASURED_SIZE;
  };
}
