import type { RunView } from "./run.ts";
import type { Unit } from "./units.ts";

/** The four answers that a run can give to a claim. */
export type Verdict = "holds" | "differs" | "not applicable here" | "not measured";

/** What a run says of a claim. */
export interface Judgement {
  /** The answer. */
  readonly verdict: Verdict;
  /** The number that the rule was applied to; `null` when there is none. */
  readonly measured: number | null;
  /** The unit of `measured`; `null` when there is no number. */
  readonly unit: Unit | null;
  /** Why the verdict is what it is; for `not measured`, the parameter that would measure it. */
  readonly reason: string | null;
}

/** A claim's id and text with what a run says of it: what the manifest and `--json` carry. */
export interface ClaimVerdict extends Judgement {
  /** The id, such as `A1`: the letter names the source. */
  readonly id: string;
  /** What the source states. */
  readonly stated: string;
}

/** A number that an article states, with the rule that holds a run against it. */
export interface Claim {
  /** The id, such as `A1`. */
  readonly id: string;
  /** What the source states. */
  readonly stated: string;
  /** The rule, a pure function of the run. */
  readonly judge: (run: RunView) => Judgement;
}

/**
 * Declares a claim.
 *
 * @param id the id, such as `A1`
 * @param stated what the source states, in one line
 * @param judge the rule
 * @returns the claim
 */
export function claim(id: string, stated: string, judge: (run: RunView) => Judgement): Claim {
  return { id, stated, judge };
}

/**
 * Holds a run against claims. A rule that throws is not evidence: its claim is `not measured`, with
 * the error as the reason.
 *
 * @param claims the claims of the experiment
 * @param run the run, read back from disk
 * @returns one verdict a claim, in order
 */
export function judge(claims: readonly Claim[], run: RunView): ClaimVerdict[] {
  return claims.map(({ id, stated, judge }) => {
    try {
      return { id, stated, ...judge(run) };
    } catch (error) {
      const reason = `The rule failed: ${error instanceof Error ? error.message : String(error)}`;
      return { id, stated, verdict: "not measured", measured: null, unit: null, reason };
    }
  });
}
