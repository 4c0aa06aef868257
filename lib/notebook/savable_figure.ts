import type { Figure, Trace } from "../record/mod.ts";
import { renderPng, renderSvg } from "../render/mod.ts";

/** A plotly figure that can be saved as a picture. */
export class SavableFigure implements Figure {
  /** The traces. */
  readonly data: readonly Trace[];
  /** Title, axes, margins. */
  readonly layout: Readonly<Record<string, unknown>>;

  /**
   * @param figure traces and layout
   */
  constructor({ data, layout }: Figure) {
    this.data = data;
    this.layout = layout;
  }

  /**
   * Saves the figure as a picture.
   *
   * @param path where to; the ending tells the format, `.svg` or `.png`
   * @throws {TypeError} the ending is another one, or a trace cannot be drawn as a picture
   */
  async save(path: string): Promise<void> {
    if (path.endsWith(".svg")) return await Deno.writeTextFile(path, await renderSvg(this));
    if (path.endsWith(".png")) return await Deno.writeFile(path, await renderPng(this));
    throw new TypeError(`Cannot save figure as ${path}: the name must end in .svg or .png`);
  }
}
