import { stripVTControlCharacters } from "node:util";
import { CannotRunHereError } from "../../record/mod.ts";

/**
 * Makes the Deno kernel known to Jupyter and VS Code, for the person who calls it. One that is there
 * already is replaced by this Deno's.
 *
 * Needs `--allow-run=deno`.
 *
 * @returns the folder of the kernelspec; `null` when Deno does not tell
 * @throws {CannotRunHereError} it cannot be installed
 */
export async function installKernelspec(): Promise<string | null> {
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: ["jupyter", "--install", "--force"],
    stdin: "null",
  }).output();
  const said = [stdout, stderr].map((bytes) => stripVTControlCharacters(new TextDecoder().decode(bytes)))
    .join();
  if (success) return /installed successfully at (.+?)\.?\s*$/m.exec(said)?.[1] ?? null;
  // Behind an empty line comes a trace of Deno itself.
  const why = /error: ([^]*?)(?:\n\s*Stack backtrace|$)/.exec(said)?.[1] ?? said;
  throw new CannotRunHereError(
    `Cannot install the Deno kernel: ${why.trim().replaceAll(/\s*\n\s*/g, " ")}`,
    "Make the folder writable, or name another one with XDG_DATA_HOME",
  );
}

/**
 * Says where the kernel is and how notebooks are opened with it.
 *
 * @param folder the folder of the kernelspec; `null` when it is not known
 * @returns the text
 */
export function kernelspecText(folder: string | null): string {
  return `The Deno kernel is installed${folder === null ? "" : ` at ${folder}`}.

JupyterLab:  jupyter lab notebooks, then open a notebook and choose the kernel "Deno".
VS Code:     with the Jupyter extension, open a notebook, then "Select Kernel", "Jupyter Kernel", "Deno".

No front end is needed to run notebooks: deno task lab notebook run notebooks/*.ipynb`;
}
