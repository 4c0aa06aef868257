import type { Strategy } from "./strategies.ts";

/** What source C states of a strategy, on its author's machine. */
export interface Stated {
  /** Mean time of connects to even ports, in milliseconds. */
  readonly evenMs?: number;
  /** The same of odd ports. */
  readonly oddMs?: number;
  /** Failures per 10,000 connects. */
  readonly failuresPer10000?: number;
}

/** What source C states, of 56,512 ports and one source address; the window has 1,000 ports. */
export const STATED: Readonly<Partial<Record<Strategy, Stated>>> = {
  "plain": { evenMs: 0.025, oddMs: 4.59 },
  "window": { failuresPer10000: 200 },
  "full-range": { evenMs: 0.029, oddMs: 0.029, failuresPer10000: 0 },
  "udp": { evenMs: 0.001, oddMs: 0.001 },
};
