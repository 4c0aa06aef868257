/** A process of the tests: runs the notebook that it is given. */
import { runNotebooks } from "./run_notebooks.ts";

const [file, outDirectory] = Deno.args;
await runNotebooks({ files: [file!], outDirectory: outDirectory! });
