import { MisuseError } from "../../record/mod.ts";
import type { Method } from "../../transport/mod.ts";
import { type Chain, type Hop, safeClientIdleMs } from "./chain.ts";
import type { Values } from "./params.ts";
import { type IdleLimits, pausesAround } from "./pauses.ts";

/** The chains that can be measured: `tuned` has a client with a timeout that is safe. */
export type ChainName = "direct" | "middlebox" | "tuned";

/** The clients: Deno's own, and a pool without and with one retry of an idempotent request. */
export const CLIENTS = ["fetch", "raw/never", "raw/retry"] as const;

/** One of {@linkcode CLIENTS}. */
export type ClientName = (typeof CLIENTS)[number];

const METHODS: readonly Method[] = ["GET", "POST"];

/** What is compared: a chain, a client and a method. */
export interface Arm {
  /** Its name, `chain/client/METHOD`. */
  readonly variant: string;
  /** The chain. */
  readonly chain: ChainName;
  /** The client. */
  readonly client: ClientName;
  /** The method of both requests. */
  readonly method: Method;
  /** How long the client keeps an idle connection, in milliseconds. */
  readonly clientIdleMs: number;
}

/** A chain of this run. */
export interface MeasuredChain extends Chain {
  /** Which one it is. */
  readonly name: ChainName;
}

/**
 * The idle limits of a run.
 *
 * @param values the parameters
 * @returns the limits, `null` where there is none
 */
export function limitsIn(values: Values): IdleLimits {
  const { clientIdle, middleboxIdle } = values;
  const [safeClient] = chainsIn(values).find(({ name }) => name === "tuned")?.hops ?? [];
  return {
    serverIdle: serverIdleIn(values),
    clientIdle,
    middleboxIdle,
    safeClientIdle: safeClient?.idleMs ?? null,
  };
}

/** `Deno.serve` closes no idle connection. */
function serverIdleIn({ stack, serverIdle }: Values): number | null {
  return stack === "node" ? serverIdle : null;
}

/**
 * The chains that a run measures.
 *
 * @param values the parameters
 * @returns the chains, `middlebox` only with a middlebox, `tuned` only where something has a limit
 */
export function chainsIn(values: Values): MeasuredChain[] {
  const { clientIdle, middleboxIdle } = values;
  const client = (idleMs: number): Hop => ({ name: "client", role: "client", idleMs, closes: "fin" });
  const server: Hop = { name: "server", role: "server", idleMs: serverIdleIn(values), closes: "fin" };
  const direct: MeasuredChain = { name: "direct", hops: [client(clientIdle), server] };
  if (middleboxIdle === null) return [direct, ...tuned(direct)];
  const box: Hop = { name: "middlebox", role: "middlebox", idleMs: middleboxIdle, closes: values.forget };
  const through: MeasuredChain = { name: "middlebox", hops: [client(clientIdle), box, server] };
  return [direct, through, ...tuned(through)];
}

/** The same chain with a client that is safe in it. */
function tuned(chain: Chain): MeasuredChain[] {
  const idleMs = safeClientIdleMs(chain);
  const [client, ...rest] = chain.hops;
  return idleMs === null ? [] : [{ name: "tuned", hops: [{ ...client!, idleMs }, ...rest] }];
}

/**
 * What a run compares. A client that is safe needs no retry: it is measured without one.
 *
 * @param values the parameters
 * @returns the arms
 */
export function armsIn(values: Values): Arm[] {
  return chainsIn(values).flatMap(({ name: chain, hops }) =>
    CLIENTS.filter((client) => chain !== "tuned" || client === "raw/never").flatMap((client) =>
      METHODS.map((method) => ({
        variant: `${chain}/${client}/${method}`,
        ...{ chain, client, method },
        clientIdleMs: hops[0]!.idleMs!,
      }))
    )
  );
}

/**
 * The pauses of a run.
 *
 * @param values the parameters
 * @returns the pauses, in milliseconds, from short to long
 * @throws {MisuseError} a given pause is longer than the longest, or no limit is short enough
 */
export function pausesIn(values: Values): readonly number[] {
  const { pauses, longestPause } = values;
  const seconds = (ms: number) => `${ms / 1000} s`;
  if (pauses !== null) {
    const tooLong = pauses.find((pauseMs) => pauseMs > longestPause);
    if (tooLong === undefined) return [...new Set(pauses)].sort((one, other) => one - other);
    throw new MisuseError(
      `Cannot wait for a pause of ${seconds(tooLong)} as the longest is ${seconds(longestPause)}: ` +
        "leave it out of pauses, or raise longestPause (--longest-pause)",
    );
  }
  const around = pausesAround(limitsIn(values), longestPause);
  if (around.length > 0) return around;
  throw new MisuseError(
    `Cannot choose pauses as none around a limit is within ${seconds(longestPause)}: ` +
      "raise longestPause (--longest-pause), or name them as pauses (--pauses)",
  );
}
