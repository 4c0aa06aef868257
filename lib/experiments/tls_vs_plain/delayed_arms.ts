import type { TableData, Warning } from "../../record/mod.ts";
import { type Exchange, waitsForAck } from "../../transport/mod.ts";
import { answered } from "../_shared/variant_rows.ts";
import { partsOf } from "./variants.ts";

/** The times of a request that was answered. */
type Times = Pick<Exchange, "waitMs" | "receiveMs" | "elapsedMs">;

/** How many requests must have waited, in all and as a share of an arm's; fewer may be chance. */
const EVIDENCE = { requests: 10, share: 0.1 } as const;

/** Which share of an arm's time such waits take, for them to be what its times tell of. */
const DOMINANT_SHARE = 0.5;

/**
 * How soon the quickest request over the same transport has to be answered, in milliseconds. Of a server
 * that is slow or far away none is; and `fetch`, which waits for the handshakes too, would wait as long as for
 * a delayed ACK over four round trips of 10 ms.
 */
const PROMPT_MS = 5;

interface Seen {
  requests: number;
  delayed: number;
  elapsedMs: number;
  delayedMs: number;
}

/**
 * Tells the arms whose time is mostly spent in waits as long as a delayed ACK. It needs nothing but those
 * waits, so that it tells them of `fetch` too, of which no request has a label: it does not show which
 * connection it uses.
 */
export class DelayedArms {
  readonly #seen = new Map<string, Seen>();
  readonly #quickestMs = new Map<string, number>();

  /**
   * Counts a request that was answered.
   *
   * @param variant its variant
   * @param times how long it took
   */
  add(variant: string, times: Times): void {
    const seen = this.#seen.get(variant) ?? { requests: 0, delayed: 0, elapsedMs: 0, delayedMs: 0 };
    this.#seen.set(variant, seen);
    seen.requests++;
    seen.elapsedMs += times.elapsedMs;
    if (waitsForAck(times)) {
      seen.delayed++;
      seen.delayedMs += times.elapsedMs;
    }
    const { transport } = partsOf(variant);
    const replyMs = (times.waitMs ?? Infinity) + (times.receiveMs ?? 0);
    this.#quickestMs.set(transport, Math.min(this.#quickestMs.get(transport) ?? Infinity, replyMs));
  }

  /** The variants that delayed ACKs dominate, in order of their names. */
  get variants(): string[] {
    return [...this.#seen].filter(([variant, { requests, delayed, elapsedMs, delayedMs }]) =>
      delayed >= EVIDENCE.requests && delayed >= requests * EVIDENCE.share &&
      delayedMs >= elapsedMs * DOMINANT_SHARE &&
      this.#quickestMs.get(partsOf(variant).transport)! < PROMPT_MS
    ).map(([variant]) => variant).sort();
  }

  /** What a reader has to be warned of; `null` when delayed ACKs dominate no arm. */
  get warning(): Warning | null {
    const { variants } = this;
    if (variants.length === 0) return null;
    const waits = variants.map((variant) => {
      const { delayed, requests } = this.#seen.get(variant)!;
      return `${variant} (${delayed} of ${requests} requests)`;
    });
    const byFetch = variants.some((variant) => partsOf(variant).client === "fetch");
    return {
      code: "delayed-arms",
      message:
        `Waits of 39 to 60 ms take most of the time of ${waits.join(", ")}: the time of a delayed ACK, ` +
        "and not of the handshake" +
        (byFetch ? ". The client fetch leaves Nagle's algorithm on, and so may the server" : ""),
      remedy: byFetch
        ? "See what TLS alone adds with --client raw, which turns Nagle's algorithm off"
        : "Turn Nagle's algorithm off (TCP_NODELAY) at the server, or have it write a response at once",
    };
  }
}

/**
 * The variants of a run that delayed ACKs dominate.
 *
 * @param requests the table of requests
 * @returns the variants, in order of their names
 */
export function delayedVariants(requests: TableData): string[] {
  const variants = requests.texts("variant");
  const isAnswered = answered(requests);
  const [waitMs, receiveMs, elapsedMs] = ["waitMs", "receiveMs", "elapsedMs"].map((name) =>
    requests.numbers(name)
  ) as [Float64Array, Float64Array, Float64Array];
  const arms = new DelayedArms();
  for (const [row, variant] of variants.entries()) {
    if (!isAnswered(row)) continue;
    arms.add(variant!, { waitMs: waitMs[row]!, receiveMs: receiveMs[row]!, elapsedMs: elapsedMs[row]! });
  }
  return arms.variants;
}
