import { drainOutputs } from "./output_queue.ts";

/** Whether this is a notebook's kernel. */
export function inNotebook(): boolean {
  try {
    return typeof Deno.jupyter.display === "function";
  } catch {
    // Elsewhere the namespace is there too, and throws when it is touched.
    return false;
  }
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

/** Waits until every output so far has left the kernel, so that a front end shows it under this cell. */
export async function drain(): Promise<void> {
  if (inNotebook()) await drainOutputs();
}
