import { lab } from "../notebook/mod.ts";
import { renderPng } from "../render/mod.ts";

const ROOT = new URL("../../", import.meta.url);

/** A picture of the README: a figure of the run that a committed notebook was made from. */
export interface Picture {
  /** The picture, from the project root. */
  readonly file: string;
  /** The notebook, from the project root. */
  readonly notebook: string;
  /** The experiment whose run the notebook names. */
  readonly experiment: string;
  /** The name of the figure. */
  readonly figure: string;
}

/** Every picture of the README. */
export const PICTURES: readonly Picture[] = [
  {
    file: "notebooks/pictures/handshake_cost_elapsed.png",
    notebook: "notebooks/01_handshake_cost.ipynb",
    experiment: "handshake-cost",
    figure: "elapsed",
  },
  {
    file: "notebooks/pictures/lifetime_rotation_timeline.png",
    notebook: "notebooks/03_lifetime_rotation.ipynb",
    experiment: "lifetime-rotation",
    figure: "timeline",
  },
  {
    file: "notebooks/pictures/keep_alive_mismatch_grid.png",
    notebook: "notebooks/04_keep_alive_mismatch.ipynb",
    experiment: "keep-alive-mismatch",
    figure: "grid",
  },
  {
    file: "notebooks/pictures/port_selection_scatter.png",
    notebook: "notebooks/06_port_selection.ipynb",
    experiment: "port-selection",
    figure: "scatter",
  },
  {
    file: "notebooks/pictures/proxy_pooling_throughput.png",
    notebook: "notebooks/09_proxy_pooling.ipynb",
    experiment: "proxy-pooling",
    figure: "throughput",
  },
];

/**
 * Draws a picture.
 *
 * @param picture which one
 * @returns the bytes of a PNG
 * @throws {Error} its notebook names no run of the experiment
 */
export async function draw({ notebook, experiment, figure }: Picture): Promise<Uint8Array<ArrayBuffer>> {
  const text = await Deno.readTextFile(new URL(notebook, ROOT));
  const [id] = new RegExp(`${experiment}/\\d{8}T\\d{6}Z-\\w+`).exec(text) ?? [];
  if (id === undefined) throw new Error(`Cannot draw a picture as ${notebook} names no run of ${experiment}`);
  const run = await lab.load(id, { data: new URL("data", ROOT).pathname });
  return new Uint8Array(await renderPng(run.figure(figure)));
}

if (import.meta.main) {
  for (const picture of PICTURES) await Deno.writeFile(new URL(picture.file, ROOT), await draw(picture));
}
