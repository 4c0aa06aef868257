import type { RunView } from "./run.ts";
import { type Unit, UNITS } from "./units.ts";

/** The four answers that a run can give to a claim. */
export const VERDICTS = ["holds", "differs", "not applicable here", "not measured"] as const;

/** One of {@linkcode VERDICTS}. */
export type Verdict = (typeof VERDICTS)[number];

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

/**
 * A number that an article states, with the rule that holds a run against it. `V` is what the experiment sees
 * of its parameters.
 */
export interface Claim<V = Readonly<Record<string, unknown>>> {
  /** The id, such as `A1`. */
  readonly id: string;
  /** What the source states. */
  readonly stated: string;
  /** The rule, a pure function of the run. */
  readonly judge: (run: RunView<V>) => Judgement;
}

/**
 * Declares a claim.
 *
 * @param id the id, such as `A1`
 * @param stated what the source states, in one line
 * @param judge the rule; declared as one of a `RunView<ParamsOf<typeof params>>`, it sees typed parameters
 * @returns the claim
 */
export function claim<V = Readonly<Record<string, unknown>>>(
  id: string,
  stated: string,
  judge: (run: RunView<V>) => Judgement,
): Claim<V> {
  return { id, stated, judge };
}

/**
 * Holds a run against claims. A rule that throws is not evidence, nor is one that gives no judgement, holds
 * without a number, or with one that is not finite: its claim is `not measured`, with the reason.
 *
 * @param claims the claims of the experiment
 * @param run the run, read back from disk
 * @returns one verdict a claim, in order
 */
export function judge<V>(claims: readonly Claim<V>[], run: RunView<V>): ClaimVerdict[] {
  return claims.map(({ id, stated, judge }) => {
    try {
      const judgement = judge(run);
      const problem = findProblem(judgement);
      if (problem !== null) return { id, stated, ...notMeasured(problem) };
      const { verdict, measured, unit, reason } = judgement;
      return { id, stated, verdict, measured, unit, reason };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { id, stated, ...notMeasured(`The rule failed: ${message}`) };
    }
  });
}

/** What keeps a rule's answer from being evidence. A person's own rule may answer anything. */
function findProblem(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null) return `The rule gave no judgement: it gave ${answer}`;
  if (answer instanceof Promise) {
    // It is not waited for; that it fails later must not end the process.
    answer.catch(() => {});
    return "The rule gave no judgement: it gave a promise";
  }
  const { verdict, measured, unit, reason } = answer as Record<keyof Judgement, unknown>;
  if (!VERDICTS.some((one) => one === verdict)) return `The rule gave no verdict: it gave ${verdict}`;
  if (measured === null ? verdict === "holds" : !Number.isFinite(measured)) {
    return `The rule says "${verdict}" of the number ${measured}`;
  }
  if (unit !== null && !UNITS.some((one) => one === unit)) {
    return `The unit must be ${UNITS.join(", ")} or null: the rule gave ${unit}`;
  }
  return reason === null || typeof reason === "string"
    ? null
    : `The reason must be text or null: the rule gave ${reason}`;
}

function notMeasured(reason: string): Judgement {
  return { verdict: "not measured", measured: null, unit: null, reason };
}
