import { readRun } from "../store/mod.ts";
import { ROOT, timed } from "./_deno_command.ts";
import { type BenchRow, median } from "./bench_row.ts";

const PAIRS = 15;
const RUNS = 5;

/** How long `lab --help` takes against a task that runs an empty program. */
async function help(scratch: string): Promise<BenchRow> {
  await Deno.writeTextFile(`${scratch}/deno.json`, `{ "tasks": { "empty": "deno run empty.ts" } }`);
  await Deno.writeTextFile(`${scratch}/empty.ts`, "");
  const emptyMs: number[] = [];
  const helpMs: number[] = [];
  for (let pair = 0; pair <= PAIRS; pair++) {
    const empty = await timed(["task", "empty"], scratch);
    const ours = await timed(["task", "lab", "--help"], ROOT);
    // The first pair fills caches.
    if (pair === 0) continue;
    emptyMs.push(empty.elapsedMs);
    helpMs.push(ours.elapsedMs);
  }
  return {
    name: "deno task lab --help / an empty deno task",
    ratio: median(helpMs) / median(emptyMs),
    target: 2.5,
    direction: "at most",
    note: `${median(helpMs).toFixed(0)} ms / ${median(emptyMs).toFixed(0)} ms`,
  };
}

/** When the last thing that a run saw was seen, in milliseconds since its measurement began. */
async function measuredMs(run: string): Promise<number> {
  const { rounds, sockets } = (await readRun(run)).tables;
  const [starts, elapsed] = [rounds!.numbers("startMs"), rounds!.numbers("elapsedMs")];
  const ends = starts.map((startMs, index) => startMs + elapsed[index]!);
  return Math.max(...ends, ...sockets!.numbers("seenMs"));
}

/** What a small run takes from the command to its end beside the time in which it measures. */
async function overhead(scratch: string): Promise<BenchRow> {
  const args = ["--requests", "50", "--rounds", "2", "--json", "--data", scratch];
  const outsideMs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { elapsedMs, stdout } = await timed(["task", "lab", "run", "handshake-cost", ...args], ROOT);
    outsideMs.push(elapsedMs - await measuredMs(JSON.parse(stdout).path));
  }
  return {
    name: "a run outside of its measurement / 1 s",
    ratio: median(outsideMs) / 1000,
    target: 1,
    direction: "at most",
    note: `${median(outsideMs).toFixed(0)} ms, from the command to its end`,
  };
}

/**
 * The benches of the command line: `deno task lab --help` against an empty task, and what a run takes
 * beside its measurement (start of the processes, environment, writing, reading back).
 *
 * @returns the ratios with their targets
 */
export async function commandBench(): Promise<BenchRow[]> {
  const scratch = await Deno.makeTempDir();
  try {
    return [await help(scratch), await overhead(scratch)];
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}
