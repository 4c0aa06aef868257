import type { LoadClient } from "../load/mod.ts";
import type { Asked } from "./_asked.ts";
import type { LoadAnswer, LoadOrder } from "./_load_bench_client.ts";
import { isHere, pinned } from "./_programs.ts";

/** Requests at once, each over a connection of its own. */
export const CONNECTIONS = 50;

/** How long a round is, but for the tools: they take whole seconds. */
export const ROUND_MS = 700;
const TOOL_SECONDS = 1;

/** What a round came to. */
export type Round = Pick<LoadAnswer, "requestsPerSecond" | "waitShare">;

/** A client that is compared with others. */
export interface Arm {
  /** Its name. */
  readonly name: string;
  /**
   * Keeps every connection busy for a round.
   *
   * @param port where, on 127.0.0.1
   * @returns requests that were answered in a second, and what else it tells of itself
   */
  readonly round: (port: number) => Promise<Round>;
}

async function outputOf([program, ...args]: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program!, { args, stdin: "null" }).output();
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`${args.join(" ")} failed: ${new TextDecoder().decode(stderr) || text}`);
  return text;
}

function numberIn(output: string, pattern: RegExp): number {
  const found = pattern.exec(output)?.[1];
  if (found === undefined) throw new Error(`No rate is told in: ${output}`);
  return Number(found);
}

const url = (port: number) => `http://127.0.0.1:${port}/`;

/** Tools that may be installed: how each is called for a round, and where it tells its rate. */
const TOOLS: Readonly<Record<string, { words: (port: number) => string[]; rate: RegExp; failed: RegExp }>> = {
  wrk: {
    words: (port) => ["wrk", "-t1", `-c${CONNECTIONS}`, `-d${TOOL_SECONDS}s`, url(port)],
    rate: /^Requests\/sec:\s*([\d.]+)/m,
    failed: /^\s*(?:Socket errors|Non-2xx)/m,
  },
  hey: {
    words: (port) => ["hey", "-c", `${CONNECTIONS}`, "-z", `${TOOL_SECONDS}s`, url(port)],
    rate: /^\s*Requests\/sec:\s*([\d.]+)/m,
    failed: /^Error distribution/m,
  },
  autocannon: {
    words: (port) => ["autocannon", "--json", "-c", `${CONNECTIONS}`, "-d", `${TOOL_SECONDS}`, url(port)],
    rate: /"requests":\{"average":([\d.]+)/,
    failed: /"(?:errors|non2xx)":[1-9]/,
  },
};

/** The names of the tools that may be installed. */
export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/**
 * A tool that people use.
 *
 * @param name one of {@linkcode TOOL_NAMES}
 * @param processor where it runs; `null` for anywhere
 * @returns it; `null` where it is not installed
 */
export function toolArm(name: string, processor: number | null): Arm | null {
  if (!isHere(name)) return null;
  const { words, rate, failed } = TOOLS[name]!;
  return {
    name,
    round: async (port) => {
      const output = await outputOf(pinned(processor, words(port)));
      if (failed.test(output)) throw new Error(`Requests of ${name} failed: ${output}`);
      return { requestsPerSecond: numberIn(output, rate), waitShare: null };
    },
  };
}

/**
 * The loop in C, which frames and records nothing.
 *
 * @param binary the compiled `_load_bench.c`
 * @param processor where it runs; `null` for anywhere
 * @returns it
 */
export function loopArm(binary: string, processor: number | null): Arm {
  const words = (port: number) => [binary, "loop", `${port}`, `${CONNECTIONS}`, `${ROUND_MS}`];
  return {
    name: "C loop",
    round: async (port) => ({
      requestsPerSecond: Number(await outputOf(pinned(processor, words(port)))),
      waitShare: null,
    }),
  };
}

/**
 * An engine of the lab.
 *
 * @param client which
 * @param program the process that it runs in, `_load_bench_client.ts`
 * @returns it
 */
export function engineArm(client: LoadClient, program: Asked): Arm {
  return {
    name: client,
    round: async (port) => {
      const order: LoadOrder = {
        kind: "load",
        client,
        port,
        connections: CONNECTIONS,
        durationMs: ROUND_MS,
        ratePerSecond: null,
      };
      const { requestsPerSecond, waitShare }: LoadAnswer = JSON.parse(
        await program.ask(JSON.stringify(order)),
      );
      return { requestsPerSecond, waitShare };
    },
  };
}
