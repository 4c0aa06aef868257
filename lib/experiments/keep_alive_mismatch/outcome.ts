import type { Outcome } from "../../figures/mod.ts";

/** What can become of a second request, from best to worst, in the colours of the grid. */
export const OUTCOMES = [
  { name: "reused", color: "#009E73" },
  { name: "new connection", color: "#56B4E9" },
  { name: "sent again", color: "#E69F00" },
  { name: "received twice", color: "#CC79A7" },
  { name: "reset", color: "#D55E00" },
  { name: "closed early", color: "#882255" },
  { name: "no answer", color: "#332288" },
  { name: "failed otherwise", color: "#000000" },
  { name: "no pair", color: "#999999" },
] as const satisfies readonly Outcome[];

/** One of {@linkcode OUTCOMES}. */
export type OutcomeName = (typeof OUTCOMES)[number]["name"];

/** What decides the outcome of a pair. */
export interface PairFacts {
  /** Why the first request failed; `null` when it did not. */
  readonly firstFailureKind: string | null;
  /** Why the second request failed; `null` when it did not. */
  readonly failureKind: string | null;
  /** Whether the second request went out on the kept connection; `null` when that is not known. */
  readonly reused: boolean | null;
  /** How often it was sent again. */
  readonly retried: number;
  /** How often the server received it. */
  readonly received: number;
}

const FAILED: Readonly<Record<string, OutcomeName>> = {
  "reset": "reset",
  "closed-early": "closed early",
  "timed-out": "no answer",
};

/**
 * What became of a second request.
 *
 * @param facts what both ends saw
 * @returns the outcome; without an answer to the first request there is no pair
 */
export function outcomeOf(facts: PairFacts): OutcomeName {
  const { firstFailureKind, failureKind, reused, retried, received } = facts;
  if (firstFailureKind !== null) return "no pair";
  if (received > 1) return "received twice";
  if (failureKind !== null) return FAILED[failureKind] ?? "failed otherwise";
  if (retried > 0) return "sent again";
  return reused ? "reused" : "new connection";
}

/**
 * Whether a pair tells something.
 *
 * @param outcome what became of it
 * @returns `false` where the first request failed, or what became of the second one is not known
 */
export function isPair(outcome: string | null): boolean {
  return outcome !== null && outcome !== "no pair";
}

/**
 * The worst of several outcomes.
 *
 * @param outcomes at least one
 * @returns the one that stands last in {@linkcode OUTCOMES}
 */
export function worstOf(outcomes: readonly string[]): string {
  const rank = (outcome: string) => OUTCOMES.findIndex(({ name }) => name === outcome);
  return outcomes.reduce((worst, outcome) => rank(outcome) > rank(worst) ? outcome : worst);
}
