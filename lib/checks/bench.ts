import { parseArgs } from "@std/cli";
import { type BenchRow, line, meets } from "./bench_row.ts";

/** What `deno task bench` was told. */
interface BenchOptions {
  /** Whether a target that is missed is a failure. */
  readonly strict: boolean;
  /** The folder of the runs that are saved; `data/` of the project when left out. */
  readonly data: string | undefined;
  /** Over how many requests the memory of the proxy is compared; its own default when left out. */
  readonly requests: number | undefined;
}

/**
 * The benches by the name under which each can be called alone; imported only when called. One that leaves
 * thousands of sockets in TIME_WAIT behind comes after those whose runs count them; those in networks of their
 * own come last, as a picture leaves this process with memory that others would measure.
 */
const BENCHES: Readonly<Record<string, (options: BenchOptions) => Promise<readonly BenchRow[]>>> = {
  command: async () => (await import("./command_bench.ts")).commandBench(),
  idle: async () => (await import("./idle_bench.ts")).idleBench(),
  notebook: async () => (await import("./notebook_bench.ts")).notebookBench(),
  store: async () => (await import("./store_bench.ts")).storeBench(),
  transport: async () => (await import("./transport_bench.ts")).transportBench(),
  system: async () => (await import("./system_bench.ts")).systemBench(),
  load: async ({ data }) => (await import("./load_bench.ts")).loadBench(data),
  proxy: async ({ requests }) => (await import("./proxy_bench.ts")).proxyBench(requests),
  ports: async () => (await import("./ports_bench.ts")).portsBench(),
};

/**
 * Runs the benches of the given names, or all, one after another.
 *
 * @returns the exit status: 0, 1 when a bench failed or, if `strict`, a target was missed, 2 when there is no
 * bench of such a name
 */
async function bench(names: readonly string[], options: BenchOptions): Promise<number> {
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
      for (const row of await BENCHES[name]!(options)) {
        console.log(line(row));
        if (!meets(row)) missed++;
      }
    } catch (error) {
      failed++;
      console.log(`✗ ${name}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  console.log(`${missed} targets missed, ${failed} benches failed`);
  return failed > 0 || (options.strict && missed > 0) ? 1 : 0;
}

if (import.meta.main) {
  const told = parseArgs(Deno.args, { boolean: ["strict"], string: ["_", "data", "requests"] });
  const { _: names, strict, data } = told;
  const requests = told.requests === undefined ? undefined : Number(told.requests);
  Deno.exit(await bench(names.map(String), { strict, data, requests }));
}
