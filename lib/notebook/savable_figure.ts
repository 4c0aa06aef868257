import type { Figure } from "../record/mod.ts";
import { renderPng, renderSvg } from "../render/mod.ts";

/** A plain plotly figure that can be saved as a picture. */
export interface SavableFigure extends Figure {
  /**
   * Saves the figure as a picture.
   *
   * @param path where to; the ending tells the format, `.svg` or `.png`
   * @throws {TypeError} the ending is another one, or a trace cannot be drawn as a picture
   */
  save(path: string): Promise<void>;
}

/**
 * Lets a figure be saved. It stays plain data: what makes JSON of it, or changes it, sees traces and layout.
 *
 * @param figure traces and layout
 * @returns the figure
 */
export function savable({ data, layout }: Figure): SavableFigure {
  const figure = { data, layout };
  const save = async (path: string) => {
    if (path.endsWith(".svg")) return await Deno.writeTextFile(path, await renderSvg(figure));
    if (path.endsWith(".png")) return await Deno.writeFile(path, await renderPng(figure));
    throw new TypeError(`Cannot save figure as ${path}: the name must end in .svg or .png`);
  };
  return Object.defineProperty(figure, "save", { value: save }) as
    & typeof figure
    & Pick<SavableFigure, "save">;
}
