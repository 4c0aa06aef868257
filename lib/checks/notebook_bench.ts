import { code, notebookOf } from "../notebook/headless/_notebooks.ts";
import { serializeNotebook } from "../notebook/headless/nbformat.ts";
import { type BenchRow, median } from "./bench_row.ts";

const PAIRS = 7;
const ROOT = new URL("../../", import.meta.url);

const NOTEBOOK = notebookOf([
  code("let n = 1000;\nn"),
  code("const squares = Array.from({ length: n }, (_, i) => i * i);\nconsole.log(squares.length);"),
  code("await Deno.jupyter.display({ 'text/html': '<b>bold</b>', 'text/plain': 'bold' }, { raw: true });"),
  code("console.error('careful');\nsquares.at(-1)"),
  code("await new Promise((resolve) => setTimeout(resolve, 1));\nsquares.reduce((a, b) => a + b)"),
], { kernelspec: { display_name: "Deno", language: "typescript", name: "deno" } });

/**
 * How long a notebook of five cells takes from the command line, against nbconvert, in turns.
 *
 * @returns the ratio with its target; nothing where there is no `jupyter nbconvert`
 */
export async function notebookBench(): Promise<BenchRow[]> {
  if (!await hasNbconvert()) return [];
  const scratch = await Deno.makeTempDir();
  try {
    const file = `${scratch}/five.ipynb`;
    await Deno.writeTextFile(file, serializeNotebook(NOTEBOOK));
    await installKernelspec(`${scratch}/jupyter`);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let pair = -1; pair < PAIRS; pair++) {
      const own = await elapsedMs("deno", [
        "task",
        "lab",
        "notebook",
        "run",
        file,
        "--out",
        `${scratch}/ours`,
      ]);
      const other = await elapsedMs("jupyter", [
        "nbconvert",
        "--to=notebook",
        "--execute",
        `--output-dir=${scratch}/theirs`,
        file,
      ], { JUPYTER_PATH: `${scratch}/jupyter` });
      // The first pair fills caches.
      if (pair < 0) continue;
      ours.push(own);
      theirs.push(other);
    }
    return [{
      name: "a notebook of 5 cells / jupyter nbconvert --execute",
      ratio: median(ours) / median(theirs),
      target: 0.5,
      direction: "at most",
      note: `${median(ours).toFixed(0)} ms / ${median(theirs).toFixed(0)} ms, ${PAIRS} pairs`,
    }];
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

async function hasNbconvert(): Promise<boolean> {
  try {
    return (await run("jupyter", ["nbconvert", "--version"])).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Makes the Deno kernel known to Jupyter in a data folder of the bench's own. */
async function installKernelspec(dataFolder: string): Promise<void> {
  await Deno.mkdir(`${dataFolder}/kernels/deno`, { recursive: true });
  await Deno.writeTextFile(
    `${dataFolder}/kernels/deno/kernel.json`,
    JSON.stringify({
      argv: [Deno.execPath(), "jupyter", "--kernel", "--conn", "{connection_file}"],
      display_name: "Deno",
      language: "typescript",
    }),
  );
}

async function elapsedMs(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const start = performance.now();
  const { success, stderr } = await run(program, args, env);
  const elapsedMs = performance.now() - start;
  if (!success) {
    throw new Error(
      `Cannot time ${program} ${args.join(" ")} as it failed: ${new TextDecoder().decode(stderr)}`,
    );
  }
  return elapsedMs;
}

function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  return new Deno.Command(program, { args: [...args], cwd: ROOT, env, stdin: "null" }).output();
}
