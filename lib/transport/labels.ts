import type { Failure, Label } from "../record/mod.ts";

/** What a label is told by: the part of an exchange that shows a pattern of TCP. */
export interface LabelFacts {
  /** Whether the connection had carried a request before; `null` where the client does not tell. */
  readonly reused: boolean | null;
  /** Time for the TCP handshake, in milliseconds; `null` where there was none, or the client does not tell. */
  readonly connectMs: number | null;
  /** Time from the request to the first byte of the response, in milliseconds. */
  readonly waitMs: number | null;
  /** Time from there to the last byte, in milliseconds. */
  readonly receiveMs: number | null;
  /** What went wrong; `null` when nothing did. */
  readonly failure: Failure | null;
}

/** Options of {@linkcode labelsOf}. */
export interface LabelOptions {
  /**
   * The client's `net.ipv4.tcp_syn_linear_timeouts`: how many times the wait for an answer to a SYN stays as it
   * is before it doubles. It is 0 for kernels before 6.5, which double it at once. @default {4}
   */
  readonly synLinearTimeouts?: number;
}

/**
 * The waits that count as a delayed ACK, in milliseconds. The kernel's timer gives 40 ms at least; seen are 40 to
 * 44 ms on a loopback. A round trip comes on top, so that this tells it up to some 15 ms away.
 */
const DELAYED_ACK_MS = { least: 39, most: 60 } as const;

/** The retransmissions of a SYN that are looked for: by default there are 6 (`tcp_syn_retries`) and 4 linear ones. */
const MAX_SYN_REPETITIONS = 10;

/** The wait for an answer to the first SYN, in milliseconds. RFC 6298 §2.1. */
const INITIAL_RTO_MS = 1000;

/**
 * How early and how late a connection may stand after its SYN was repeated: a tick early; late by a round trip
 * of 100 ms, and by what the kernel's timer wheel adds to a wait of this length (up to 8 %; 2 to 3 % were seen).
 */
const SYN_TOLERANCE = { earlyMs: 10, lateMs: 100, lateRatio: 0.08 } as const;

/** How many exchanges on reused connections make a share of them evidence. */
const EVIDENCE_EXCHANGES = 10;

/** Which share of exchanges is enough on reused connections, and too much on fresh ones. */
const EVIDENCE_SHARE = { reused: 0.5, fresh: 0.1 } as const;

/**
 * When a SYN is sent again, counted from the first one.
 *
 * Source: Linux Documentation/networking/ip-sysctl, `tcp_syn_linear_timeouts`: waits of 1, 1, 1, 1, 1, 2, 4 … s by
 * default since 6.5; RFC 6298 §5.5: 1, 2, 4 … s before.
 *
 * @param linearTimeouts `net.ipv4.tcp_syn_linear_timeouts`
 * @returns the times, in milliseconds
 *
 * @example
 * ```ts
 * import { synRepetitionsMs } from "./labels.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(synRepetitionsMs(4).slice(0, 7), [1000, 2000, 3000, 4000, 5000, 7000, 11_000]);
 * assertEquals(synRepetitionsMs(0).slice(0, 4), [1000, 3000, 7000, 15_000]);
 * ```
 */
export function synRepetitionsMs(linearTimeouts: number): number[] {
  const times: number[] = [];
  let atMs = 0;
  for (let repetition = 0; repetition < MAX_SYN_REPETITIONS; repetition++) {
    atMs += INITIAL_RTO_MS * 2 ** Math.max(0, repetition - linearTimeouts);
    times.push(atMs);
  }
  return times;
}

/**
 * The labels of an exchange. Each is told from this exchange alone and so is a hint: `delayed-ack` above all,
 * which a server that takes as long gets too. {@linkcode delayedAckShare} tells when it is more.
 *
 * @param exchange how it went
 * @param options what is known of the client's system
 * @returns its labels, in the order of the list
 *
 * @example
 * ```ts
 * import { labelsOf } from "./labels.ts";
 * import { assertEquals } from "@std/assert";
 * const answered = { reused: true, connectMs: null, waitMs: 0.3, receiveMs: 43.9, failure: null };
 * assertEquals(labelsOf(answered), ["delayed-ack"]);
 * const dialled = { reused: false, connectMs: 1031, waitMs: 0.3, receiveMs: 0.1, failure: null };
 * assertEquals(labelsOf(dialled), ["syn-repeated"]);
 * ```
 */
export function labelsOf(exchange: LabelFacts, options: LabelOptions = {}): readonly Label[] {
  const { synLinearTimeouts = 4 } = options;
  const labels: Label[] = [];
  if (isStaleReuse(exchange)) labels.push("stale-reuse");
  if (exchange.reused === true && exchange.failure === null && waitsForAck(exchange)) {
    labels.push("delayed-ack");
  }
  if (synWasRepeated(exchange, synLinearTimeouts)) labels.push("syn-repeated");
  return labels;
}

/** What {@linkcode delayedAckShare} found. */
export interface DelayedAckShare {
  /** The share of exchanges on reused connections that waited as for a delayed ACK; `null` without any. */
  readonly reused: number | null;
  /** The same of first exchanges on fresh connections. */
  readonly fresh: number | null;
  /** Whether this is evidence of a delayed ACK. */
  readonly evidence: boolean;
}

/**
 * The share of exchanges that waited as for a delayed ACK. One such wait may be chance. It is evidence when it
 * comes in at least half of 10 or more exchanges on reused connections, and in no more than a tenth of first
 * exchanges, of which there has to be one: a connection begins in quick-ACK mode, in which Linux acknowledges at
 * once (tcp(7), `TCP_QUICKACK`), so a server that only takes this long shows it in those too. Not so over TLS, where
 * the handshake may have used up that mode.
 *
 * @param exchanges how they went, those without an answer and of unknown reuse left out
 * @returns both shares, and whether they are evidence
 *
 * @example
 * ```ts
 * import { delayedAckShare } from "./labels.ts";
 * import { assertEquals } from "@std/assert";
 * const exchange = { connectMs: null, waitMs: 0.3, receiveMs: 43.9, failure: null };
 * const first = { ...exchange, reused: false, connectMs: 0.2, receiveMs: 0.1 };
 * const later = Array.from({ length: 10 }, () => ({ ...exchange, reused: true }));
 * assertEquals(delayedAckShare([first, ...later]), { reused: 1, fresh: 0, evidence: true });
 * ```
 */
export function delayedAckShare(exchanges: readonly LabelFacts[]): DelayedAckShare {
  const answered = exchanges.filter(({ failure }) => failure === null);
  const kept = answered.filter(({ reused }) => reused === true);
  const reused = shareOf(kept);
  const fresh = shareOf(answered.filter(({ reused }) => reused === false));
  const evidence = kept.length >= EVIDENCE_EXCHANGES && reused !== null && fresh !== null &&
    reused >= EVIDENCE_SHARE.reused && fresh <= EVIDENCE_SHARE.fresh;
  return { reused, fresh, evidence };
}

function shareOf(exchanges: readonly LabelFacts[]): number | null {
  return exchanges.length > 0 ? exchanges.filter(waitsForAck).length / exchanges.length : null;
}

function isStaleReuse({ reused, failure }: LabelFacts): boolean {
  if (reused !== true || failure === null) return false;
  const { kind, phase } = failure;
  return (kind === "reset" || kind === "closed-early") && (phase === "send" || phase === "wait");
}

/**
 * Whether an exchange that was answered waited as long as a delayed ACK takes: a request in two pieces shows in the
 * time to the first byte, a response in two pieces in the time after it.
 *
 * @param times its times
 * @returns whether it did; that alone is a hint, and no evidence
 */
export function waitsForAck({ waitMs, receiveMs }: Pick<LabelFacts, "waitMs" | "receiveMs">): boolean {
  const { least, most } = DELAYED_ACK_MS;
  return [waitMs, receiveMs].some((ms) => ms !== null && ms >= least && ms <= most);
}

function synWasRepeated({ connectMs, failure }: LabelFacts, linearTimeouts: number): boolean {
  if (connectMs === null || failure?.phase === "connect") return false;
  const { earlyMs, lateMs, lateRatio } = SYN_TOLERANCE;
  return synRepetitionsMs(linearTimeouts).some((stepMs) =>
    connectMs >= stepMs - earlyMs && connectMs <= stepMs * (1 + lateRatio) + lateMs
  );
}
