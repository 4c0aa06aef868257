import { libcPath, LineSplitter } from "../system/mod.ts";
import { type BenchRow, median } from "./bench_row.ts";

/** What remains of the connects a second of a loop in C. */
const CONNECT_TARGET = 0.9;
const CONNECTS = 2000;
const ROUNDS = 40;
const WARM_UP_ROUNDS = 8;
/** How long a count of the TIME_WAIT table by side may take, in milliseconds. */
const COUNT_TARGET_MS = 15;
const IN_TIME_WAIT = 20_000;

const path = (name: string) => new URL(name, import.meta.url).pathname;

/** The command line of a program of this folder, with the rights that sockets take. */
function program(name: string, ...args: string[]): string[] {
  const rights = [
    "--no-prompt",
    "--frozen",
    `--config=${path("../../deno.json")}`,
    `--allow-ffi=${libcPath()}`,
  ];
  return ["deno", "run", "--quiet", ...rights, path(name), ...args];
}

/** A program in a network namespace of its own that answers each line with a number. */
class Asked implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #numbers: AsyncGenerator<number>;

  constructor(command: readonly string[]) {
    this.#child = new Deno.Command("unshare", {
      args: ["-rn", ...command],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#numbers = numbers(this.#child.stdout);
  }

  async ask(): Promise<number> {
    await this.#input.write(new TextEncoder().encode("\n"));
    return await this.next();
  }

  async next(): Promise<number> {
    const { value, done } = await this.#numbers.next();
    if (done) throw new Error("The program of the bench ended before its time");
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {/* it has ended already */});
    await this.#numbers.return(undefined);
    await this.#child.status;
  }
}

async function* numbers(output: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<number> {
  const splitter = new LineSplitter();
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    yield* splitter.take(text).map(Number);
  }
}

/** Compiles the loop in C; `false` where there is no compiler. */
async function compile(into: string): Promise<boolean> {
  try {
    const args = ["-O2", "-o", into, path("_connect_bench.c")];
    const { success } = await new Deno.Command("cc", { args, stderr: "inherit" }).output();
    if (!success) throw new Error("The loop in C does not compile");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Both loops in alternating order, round by round, so that what else the machine does meets both. */
async function connectBench(): Promise<BenchRow | null> {
  const folder = await Deno.makeTempDir();
  try {
    const binary = `${folder}/connect`;
    if (!await compile(binary)) return null;
    await using ours = new Asked(program("_connect_bench.ts", String(CONNECTS)));
    await using inC = new Asked([binary, String(CONNECTS)]);
    const pairs: { ours: number; inC: number }[] = [];
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const first = await (round % 2 === 0 ? ours : inC).ask();
      const second = await (round % 2 === 0 ? inC : ours).ask();
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
  await using counting = new Asked(program("_time_wait_bench.ts", String(IN_TIME_WAIT)));
  const taken: number[] = [];
  while (taken.length < 25) taken.push(await counting.next());
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
