import { Asked } from "./_asked.ts";
import { compile, ownProgram } from "./_programs.ts";
import { type BenchRow, median } from "./bench_row.ts";

/** What remains of the connects a second of a loop in C. */
const CONNECT_TARGET = 0.9;
const CONNECTS = 2000;
const ROUNDS = 40;
const WARM_UP_ROUNDS = 8;
/** How long a count of the TIME_WAIT table by side may take, in milliseconds. */
const COUNT_TARGET_MS = 15;
const IN_TIME_WAIT = 20_000;

/** A program in a network namespace of its own that answers each line with a number. */
const inOwnNetwork = (command: readonly string[]) => new Asked(["unshare", "-rn", ...command]);

/** Both loops in alternating order, round by round, so that what else the machine does meets both. */
async function connectBench(): Promise<BenchRow | null> {
  const folder = await Deno.makeTempDir();
  try {
    const binary = `${folder}/connect`;
    if (!await compile("_connect_bench.c", binary)) return null;
    await using ours = inOwnNetwork(ownProgram("_connect_bench.ts", { args: [`${CONNECTS}`] }));
    await using inC = inOwnNetwork([binary, `${CONNECTS}`]);
    const pairs: { ours: number; inC: number }[] = [];
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const first = Number(await (round % 2 === 0 ? ours : inC).ask());
      const second = Number(await (round % 2 === 0 ? inC : ours).ask());
      const pair = round % 2 === 0 ? { ours: first, inC: second } : { ours: second, inC: first };
      if (round >= WARM_UP_ROUNDS) pairs.push(pair);
    }
    const us = (ns: readonly number[]) => (median(ns) / CONNECTS / 1000).toFixed(1);
    return {
      name: "RawSocket, connects a second over the same loop in C",
      ratio: median(pairs.map(({ ours, inC }) => inC / ours)),
      target: CONNECT_TARGET,
      direction: "at least",
      note: `${us(pairs.map(({ ours }) => ours))} against ${us(pairs.map(({ inC }) => inC))} µs a connect`,
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function countBench(): Promise<BenchRow> {
  await using counting = inOwnNetwork(ownProgram("_time_wait_bench.ts", { args: [`${IN_TIME_WAIT}`] }));
  const taken: number[] = [];
  while (taken.length < 25) taken.push(Number(await counting.next()));
  const ms = median(taken);
  return {
    name: `count of ${IN_TIME_WAIT} TIME_WAIT by side, over ${COUNT_TARGET_MS} ms`,
    ratio: ms / COUNT_TARGET_MS,
    target: 1,
    direction: "at most",
    note: `${ms.toFixed(1)} ms a count`,
  };
}

/**
 * Measures connects through the C library against the same loop in C, where there is a compiler, and how long
 * a count of a full TIME_WAIT table takes. Each program runs in a network namespace of its own.
 * Needs `--allow-run=unshare,cc` and the right to write temporary files.
 *
 * @returns the ratios
 */
export async function systemBench(): Promise<BenchRow[]> {
  const connects = await connectBench();
  if (connects === null) console.log("· connects against C are not measured as there is no C compiler (cc)");
  return [...(connects === null ? [] : [connects]), await countBench()];
}
