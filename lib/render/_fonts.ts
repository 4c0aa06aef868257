import { createRequire } from "node:module";
import type { ResvgRenderOptions } from "@resvg/resvg-js";

/** What resvg is told about fonts: the two files of DejaVu Sans and nothing of the machine's own. */
export type Fonts = NonNullable<ResvgRenderOptions["font"]>;

/** How high DejaVu Sans reaches above the baseline, in em: the font's `ascender`. */
export const ASCENT_EM = 1901 / 2048;

/** How deep DejaVu Sans reaches below the baseline, in em: the font's `descender`. */
export const DESCENT_EM = 483 / 2048;

let fonts: Promise<Fonts> | undefined;

/**
 * The fonts that the static picture is drawn with. They come from npm, so that it is the same on every
 * machine and text does not vanish where no font is installed.
 */
export function loadFonts(): Promise<Fonts> {
  return fonts ??= (async () => {
    // The import brings the package in; resvg reads the files by path.
    await import("dejavu-fonts-ttf/package.json", { with: { type: "json" } });
    const { resolve } = createRequire(import.meta.url);
    return {
      loadSystemFonts: false,
      defaultFontFamily: "DejaVu Sans",
      sansSerifFamily: "DejaVu Sans",
      fontFiles: ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf"].map((file) =>
        resolve(`dejavu-fonts-ttf/ttf/${file}`)
      ),
    };
  })();
}
