import { lab } from "../notebook/mod.ts";
import { renderPng } from "../render/mod.ts";
import { ROOT, timed } from "./_deno_command.ts";
import { type BenchRow, median } from "./bench_row.ts";

const CONNECTIONS = 56_000;
/** How long so many connections may take, from the command to the end of its processes, in milliseconds. */
const RUN_TARGET_MS = 8000;
/** How long the static picture of so many points may take, in milliseconds. */
const PICTURE_TARGET_MS = 5000;
const RUNS = 3;

function row(what: string, ms: number, targetMs: number): BenchRow {
  return {
    name: `${what}, over ${targetMs / 1000} s`,
    ratio: ms / targetMs,
    target: 1,
    direction: "at most",
    note: `${(ms / 1000).toFixed(1)} s`,
  };
}

/**
 * Measures a run that fills nearly every port there is, holders included, and the picture of its connects.
 * Needs the right to write temporary files.
 *
 * @returns both times as ratios
 */
export async function portsBench(): Promise<BenchRow[]> {
  const data = await Deno.makeTempDir();
  try {
    const experiment = ["port-selection", "--strategies", "full-range", "--compare", "none"];
    const args = ["task", "--quiet", "lab", "run", ...experiment, "--ports", `${CONNECTIONS}`, "--json"];
    const runMs: number[] = [];
    const pictureMs: number[] = [];
    for (let count = 0; count < RUNS; count++) {
      const { elapsedMs, stdout } = await timed([...args, "--data", data], ROOT);
      runMs.push(elapsedMs);
      const run = await lab.load(JSON.parse(stdout).id, { data });
      const made = run.value("connections", "full-range");
      if (made !== CONNECTIONS) throw new Error(`Only ${made} of ${CONNECTIONS} connections were made`);
      const startMs = performance.now();
      await renderPng(run.figure("scatter"));
      pictureMs.push(performance.now() - startMs);
    }
    const count = CONNECTIONS.toLocaleString("en");
    return [
      row(`port-selection, ${count} connections`, median(runMs), RUN_TARGET_MS),
      row(`static picture of ${count} connects`, median(pictureMs), PICTURE_TARGET_MS),
    ];
  } finally {
    await Deno.remove(data, { recursive: true });
  }
}
