import { lab } from "../notebook/mod.ts";
import { renderPng } from "../render/mod.ts";

const NOTEBOOK = new URL("../../notebooks/01_handshake_cost.ipynb", import.meta.url);
const DATA = new URL("../../data", import.meta.url).pathname;

/** Where the picture of the README stands. */
export const PICTURE: URL = new URL("../../notebooks/pictures/handshake_cost_elapsed.png", import.meta.url);

/** The picture of the README, from the run that the committed notebook was made from. */
export async function readmePicture(): Promise<Uint8Array<ArrayBuffer>> {
  const [id] = /handshake-cost\/\d{8}T\d{6}Z-\w+/.exec(await Deno.readTextFile(NOTEBOOK)) ?? [];
  if (id === undefined) throw new Error("Cannot draw the picture of the README as the notebook names no run");
  const run = await lab.load(id, { data: DATA });
  return new Uint8Array(await renderPng(run.figure("elapsed")));
}

if (import.meta.main) await Deno.writeFile(PICTURE, await readmePicture());
