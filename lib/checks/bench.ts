import { parseArgs } from "@std/cli";

/** One ratio against its target, as every bench of the project returns it. */
export interface BenchRow {
  /** What is compared with what. */
  readonly name: string;
  /** The ratio of medians that was measured. */
  readonly ratio: number;
  /** What the ratio should keep to. */
  readonly target: number;
  /** On which side of the target it should be. */
  readonly direction: "at most" | "at least";
  /** What a reader should know about it. */
  readonly note?: string;
}

/**
 * The benches by the name under which each can be called alone; imported only when called. The one that
 * leaves thousands of sockets in TIME_WAIT behind comes last, as a run counts those that there are.
 */
const BENCHES: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  command: async () => (await import("./command_bench.ts")).commandBench(),
  notebook: async () => (await import("../notebook/headless/notebook_bench.ts")).notebookBench(),
  store: async () => (await import("../store/store_bench.ts")).storeBench(),
  transport: async () => (await import("../transport/raw_bench.ts")).rawBench(),
};

/**
 * Whether a ratio keeps to its target.
 *
 * @param row the ratio and the target
 * @returns `false` also when the ratio is no number
 */
export function meets({ ratio, target, direction }: BenchRow): boolean {
  return direction === "at most" ? ratio <= target : ratio >= target;
}

/**
 * A ratio as one line of the table.
 *
 * @param row the ratio and the target
 * @returns the line
 */
export function line(row: BenchRow): string {
  const sign = row.direction === "at most" ? "≤" : "≥";
  const figures = `${row.ratio.toFixed(2).padStart(7)}  ${sign} ${row.target}`;
  return `${meets(row) ? "✓" : "✗"} ${row.name.padEnd(52)}${figures.padEnd(16)}${row.note ?? ""}`.trimEnd();
}

/**
 * Runs the benches of the given names, or all, one after another.
 *
 * @returns the exit status: 0, 1 when a bench failed or, if `strict`, a target was missed, 2 when there is no
 * bench of such a name
 */
async function bench(names: readonly string[], strict: boolean): Promise<number> {
  const unknown = names.find((name) => !(name in BENCHES));
  if (unknown !== undefined) {
    console.error(
      `Cannot run bench ${unknown} as there is none of that name: ${Object.keys(BENCHES).join(", ")}`,
    );
    return 2;
  }
  const { deno, v8 } = Deno.version;
  console.log(`${navigator.hardwareConcurrency} cores, kernel ${Deno.osRelease()}, Deno ${deno}, V8 ${v8}`);
  let [missed, failed] = [0, 0];
  for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
    try {
      for (const row of await BENCHES[name]!()) {
        console.log(line(row));
        if (!meets(row)) missed++;
      }
    } catch (error) {
      failed++;
      console.log(`✗ ${name}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  console.log(`${missed} targets missed, ${failed} benches failed`);
  return failed > 0 || (strict && missed > 0) ? 1 : 0;
}

if (import.meta.main) {
  const { _: names, strict } = parseArgs(Deno.args, { boolean: ["strict"], string: ["_"] });
  Deno.exit(await bench(names.map(String), strict));
}
