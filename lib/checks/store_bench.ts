import { column, type Row } from "../record/mod.ts";
import { createRun, readRun, rowFormatter, verifyRun } from "../store/mod.ts";
import { type BenchRow, median } from "./bench_row.ts";

const ROWS = 1_000_000;
const PASSES = 3;
const SAMPLE_INTERVAL_MS = 5;
const FLUSH_CHARACTERS = 64 * 1024;
const MEBIBYTE = 1024 * 1024;

const REQUESTS = {
  variant: column.text("the arm"),
  round: column.count("which round"),
  order: column.count("which request of the round"),
  connectMs: column.ms("time to connect"),
  sendMs: column.ms("time to send"),
  waitMs: column.ms("time to the first byte"),
  atMs: column.ms("when it began"),
  reused: column.flag("whether the connection was reused"),
};

/** Rows that are written again and again: a million of their own would be the memory that is measured. */
const POOL: readonly Row[] = Array.from({ length: 10_000 }, (_, index): Row => ({
  variant: ["raw/new", "raw/shared", "fetch/new", "fetch/shared"][index % 4]!,
  round: index % 10,
  order: index * 97,
  connectMs: ((index * 7919) % 50_021) / 10_000,
  sendMs: ((index * 104_729) % 30_011) / 10_000,
  waitMs: ((index * 1_299_709) % 200_003) / 10_000,
  atMs: (index * 12_345_701) / 10_000,
  reused: index % 2 === 0,
}));

const NUMBERS = POOL.flatMap((row) => Object.values(row).filter((cell) => typeof cell === "number"));
const TEXTS = NUMBERS.map(String);

/** Numbers are summed up so that no loop is without effect. */
function formatAlone(): number {
  let characters = 0;
  for (let done = 0; done < ROWS; done += POOL.length) {
    for (const number of NUMBERS) characters += String(number).length;
  }
  return characters;
}

function parseAlone(): number {
  let sum = 0;
  for (let done = 0; done < ROWS; done += POOL.length) {
    for (const text of TEXTS) sum += Number(text);
  }
  return sum;
}

/** Writes a run in pieces as the measuring process sends them; calls back after each. */
function write(directory: string, rows: number, onPiece: () => void = () => {}): string {
  const format = rowFormatter(REQUESTS);
  using writer = createRun(directory, {
    experiment: { id: "store-bench", version: 1, title: "Store", question: "How fast is it?", origin: "lab" },
    tables: { requests: REQUESTS },
    params: { rows },
    seed: 1,
  });
  let text = "";
  let count = 0;
  const flush = () => {
    writer.append("requests", text, count);
    text = "";
    count = 0;
    onPiece();
  };
  for (let done = 0; done < rows; done++) {
    text += format(POOL[done % POOL.length]!);
    count++;
    if (text.length >= FLUSH_CHARACTERS) flush();
  }
  flush();
  writer.finish({ status: "complete" });
  return writer.path;
}

async function load(path: string): Promise<number> {
  return (await readRun(path)).tables.requests!.length;
}

async function timeMs(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What the process holds, at the median, while rows are written and read back to be verified. */
async function heldBytes(directory: string, rows: number): Promise<number> {
  const samples: number[] = [];
  const look = () => samples.push(Deno.memoryUsage().rss);
  const path = write(directory, rows, look);
  const timer = setInterval(look, SAMPLE_INTERVAL_MS);
  const { verdict } = await verifyRun(path);
  clearInterval(timer);
  if (verdict !== "ok") throw new Error(`Cannot verify what was written: it is ${verdict}`);
  await Deno.remove(path, { recursive: true });
  return median(samples);
}

/** Twice the rows, after as many as V8 takes to let its heap grow to its working size. */
async function memory(directory: string): Promise<BenchRow> {
  await heldBytes(directory, 2 * ROWS);
  const once = await heldBytes(directory, 2 * ROWS);
  const twice = await heldBytes(directory, 4 * ROWS);
  const size = (bytes: number) => `${Math.round(bytes / MEBIBYTE)} MiB`;
  return {
    name: "memory for 4,000,000 rows / for 2,000,000",
    ratio: twice / once,
    target: 1.25,
    direction: "at most",
    note: `${size(twice)} / ${size(once)}, written and verified`,
  };
}

/**
 * Measures the store: a million rows of a table with six numbers, written and loaded, against formatting and
 * parsing these numbers alone, interleaved; and the memory that writing and verifying takes.
 *
 * @returns the ratios
 */
export async function storeBench(): Promise<BenchRow[]> {
  const directory = await Deno.makeTempDir();
  try {
    const memoryResult = await memory(directory);
    const times = { format: [], write: [], parse: [], load: [] } as Record<string, number[]>;
    for (let pass = 0; pass < PASSES; pass++) {
      let path = "";
      times.format!.push(await timeMs(formatAlone));
      times.write!.push(await timeMs(() => path = write(directory, ROWS)));
      times.parse!.push(await timeMs(parseAlone));
      times.load!.push(await timeMs(() => load(path)));
      await Deno.remove(path, { recursive: true });
    }
    const result = (name: string, whole: string, part: string, target: number): BenchRow => {
      const [above, below] = [median(times[whole]!), median(times[part]!)];
      const note = `${Math.round(above)} ms / ${Math.round(below)} ms`;
      return { name, ratio: above / below, target, direction: "at most", note };
    };
    return [
      result("1,000,000 rows written / their numbers formatted", "write", "format", 3),
      result("1,000,000 rows loaded / their numbers parsed", "load", "parse", 5),
      memoryResult,
    ];
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
