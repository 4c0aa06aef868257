/**
 * Installs the Deno kernel for Jupyter: what `deno task kernel` runs.
 *
 * @module
 */
import { CannotRunHereError } from "../../record/mod.ts";
import { installKernelspec, kernelspecText } from "./kernelspec.ts";

if (import.meta.main) {
  try {
    console.log(kernelspecText(await installKernelspec()));
  } catch (error) {
    if (!(error instanceof CannotRunHereError)) throw error;
    console.error(error.message);
    Deno.exit(3);
  }
}
