import { TIMER_MARGIN_MS, timerMarginMs } from "../_shared/timer_margin.ts";

/** What a hop does with a connection that is idle for too long. */
export type Closing = "fin" | "reset" | "silent";

/** One program or box that a connection passes, or ends at. */
export interface Hop {
  /** What it is called. */
  readonly name: string;
  /**
   * A `client` opens connections and a `server` takes them; a `balancer` does both, as it ends a client's
   * connections and keeps some of its own to the next hop; a `middlebox` (a firewall, NAT, a balancer of
   * packets) lets one connection through and remembers it.
   */
  readonly role: "client" | "middlebox" | "balancer" | "server";
  /** How long a connection may be idle there, in milliseconds; `null` where there is no limit. */
  readonly idleMs: number | null;
  /** How long a `balancer` keeps an idle connection of its own to the next hop. @default {idleMs} */
  readonly keepsMs?: number;
  /**
   * How it ends one that is idle for longer: `fin` tells the other side at once, `reset` tells it when it
   * next sends something, `silent` never.
   */
  readonly closes: Closing;
}

/** Everything that a request passes, from the client to the server. */
export interface Chain {
  /** What it is called. */
  readonly name: string;
  /** The hops in order, a client first and a server last. */
  readonly hops: readonly Hop[];
}

/** From best to worst. */
export const VERDICTS = ["safe", "racy", "unsafe"] as const;

/** One of {@linkcode VERDICTS}. */
export type ChainVerdictName = (typeof VERDICTS)[number];

/** A setting with which a pair of hops is safe. */
export interface SafeValue {
  /** Whose idle limit. */
  readonly hop: string;
  /** Whether the limit may be no longer, or no shorter. */
  readonly bound: "at most" | "at least";
  /** The limit, in milliseconds. */
  readonly idleMs: number;
}

/** What {@linkcode judgeChain} says of a chain. */
export interface ChainVerdict {
  /**
   * `safe`: whoever sends a request gives a connection up before anyone behind it does. `racy`: a request may
   * meet the end of its connection on the way. `unsafe`: there are pauses after which every request is lost.
   */
  readonly verdict: ChainVerdictName;
  /** The hop whose limit is too short; `null` when none is. */
  readonly unsafeHop: string | null;
  /** What to set so that the chain is safe; nothing when it is. */
  readonly safeValues: readonly SafeValue[];
}

/** Two hops that share a connection: who sends requests on it, and who may end it. */
interface Pair {
  readonly sender: Hop;
  readonly ender: Hop;
  /** How long the connection can be idle before the sender gives it up or is told of its end. */
  readonly heldMs: number;
}

/** How long a hop keeps an idle connection on which it sends requests. */
function keptMs({ keepsMs, idleMs }: Hop): number {
  return keepsMs ?? idleMs ?? Infinity;
}

/** Every pair of hops that share a connection. */
function pairsOf({ hops }: Chain): Pair[] {
  return hops.flatMap((sender, index) => {
    if (sender.role !== "client" && sender.role !== "balancer") return [];
    const behind = hops.slice(index + 1);
    const last = behind.findIndex(({ role }) => role === "balancer" || role === "server");
    const enders = behind.slice(0, last + 1);
    return enders.map((ender) => {
      const told = enders.filter((other) => other !== ender && other.closes === "fin");
      const heldMs = Math.min(keptMs(sender), ...told.map(({ idleMs }) => idleMs ?? Infinity));
      return { sender, ender, heldMs };
    });
  });
}

function judgePair({ ender: { idleMs, closes }, heldMs }: Pair): ChainVerdictName {
  if (idleMs === null || heldMs <= idleMs - timerMarginMs(idleMs)) return "safe";
  return closes === "fin" || heldMs <= idleMs ? "racy" : "unsafe";
}

/** A server of one's own is given more time; before anything else the sender has to give up earlier. */
function safeValueOf({ sender, ender }: Pair): SafeValue {
  const limitMs = ender.idleMs!;
  const senderMs = keptMs(sender);
  if (sender.role === "balancer" && ender.role === "server" && senderMs < Infinity) {
    return { hop: ender.name, bound: "at least", idleMs: senderMs + TIMER_MARGIN_MS };
  }
  return { hop: sender.name, bound: "at most", idleMs: limitMs - timerMarginMs(limitMs) };
}

/** Of several bounds on one setting, the one that keeps them all. */
function tightest(values: readonly SafeValue[]): SafeValue[] {
  const kept = new Map<string, SafeValue>();
  for (const value of values) {
    const key = `${value.hop} ${value.bound}`;
    const other = kept.get(key);
    const tighter = other === undefined ||
      (value.bound === "at most" ? value.idleMs < other.idleMs : value.idleMs > other.idleMs);
    if (tighter) kept.set(key, value);
  }
  return [...kept.values()];
}

/**
 * Judges a chain by its idle limits alone: whoever sends requests on a connection must give it up before
 * anyone behind, up to the next hop that ends connections, closes or forgets it.
 *
 * An end that is announced (`fin`) is seen by a client that watches its idle connections, so that only a
 * request that crosses it on the way is lost: `racy`. Any other is found out by losing a request: `unsafe`,
 * unless the end of the connection is announced by somebody else before.
 *
 * Source: RFC 9112 §9.3 (persistence) and §9.5 (a connection may be closed while a request is on its way).
 *
 * @param chain the hops with their limits
 * @returns the verdict, the hop to blame and values that are safe
 *
 * @example
 * ```ts
 * import { judgeChain } from "./chain.ts";
 * import { assertEquals } from "@std/assert";
 * const { verdict, unsafeHop, safeValues } = judgeChain({
 *   name: "behind a firewall",
 *   hops: [
 *     { name: "client", role: "client", idleMs: 60_000, closes: "fin" },
 *     { name: "firewall", role: "middlebox", idleMs: 30_000, closes: "silent" },
 *     { name: "server", role: "server", idleMs: 130_000, closes: "fin" },
 *   ],
 * });
 * assertEquals([verdict, unsafeHop], ["unsafe", "firewall"]);
 * assertEquals(safeValues, [{ hop: "client", bound: "at most", idleMs: 29_000 }]);
 * ```
 */
export function judgeChain(chain: Chain): ChainVerdict {
  const judged = pairsOf(chain).map((pair) => ({ ...pair, verdict: judgePair(pair) }));
  const bad = judged.filter(({ verdict }) => verdict !== "safe");
  const worst = bad.reduce<(typeof bad)[number] | null>((worst, pair) => {
    if (worst === null) return pair;
    const step = VERDICTS.indexOf(pair.verdict) - VERDICTS.indexOf(worst.verdict);
    return step > 0 || step === 0 && pair.ender.idleMs! < worst.ender.idleMs! ? pair : worst;
  }, null);
  return {
    verdict: worst?.verdict ?? "safe",
    unsafeHop: worst?.ender.name ?? null,
    safeValues: tightest(bad.map(safeValueOf)),
  };
}

/**
 * The longest idle timeout with which a chain's client is safe, whatever the one that it has.
 *
 * @param chain the hops with their limits
 * @returns the timeout, in milliseconds; `null` where nothing behind the client has a limit
 */
export function safeClientIdleMs(chain: Chain): number | null {
  const limits = pairsOf(chain).flatMap(({ sender, ender }) =>
    sender.role === "client" && ender.idleMs !== null ? [ender.idleMs - timerMarginMs(ender.idleMs)] : []
  );
  return limits.length === 0 ? null : Math.min(...limits);
}
