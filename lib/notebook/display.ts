/** Whether this is a notebook's kernel. */
export function inNotebook(): boolean {
  return "jupyter" in Deno && typeof Deno.jupyter?.broadcast === "function";
}

/** MIME types with what stands for the value in each. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/**
 * Shows something in the current cell. Outside of a notebook its plain text goes to standard output.
 *
 * @param bundle what to show
 */
export async function display(bundle: MimeBundle): Promise<void> {
  if (!inNotebook()) return console.log(bundle["text/plain"]);
  await Deno.jupyter.display({ ...bundle } as Deno.jupyter.MediaBundle, { raw: true });
  await drain();
}

/** One output of a cell that changes in place, such as a progress bar. */
export class LiveDisplay {
  readonly #id = crypto.randomUUID();
  #shown = false;

  /**
   * Shows something in place of what was there.
   *
   * @param bundle what to show
   */
  async show(bundle: MimeBundle): Promise<void> {
    if (!inNotebook()) return;
    const options = { raw: true, display_id: this.#id, update: this.#shown };
    this.#shown = true;
    await Deno.jupyter.display({ ...bundle } as Deno.jupyter.MediaBundle, options);
  }
}

/** How long the kernel's queue of outputs is given to empty, in milliseconds. */
const DRAIN_MS = 50;

/**
 * Lets the kernel's queue of outputs empty. The kernel hands outputs on in an order of their own: what is
 * still in the queue when a cell ends is lost to stock front ends, or shown under the next cell.
 */
export async function drain(): Promise<void> {
  if (!inNotebook()) return;
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
}
