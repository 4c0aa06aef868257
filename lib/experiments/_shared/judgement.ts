import type { Judgement, Unit } from "../../record/mod.ts";

/** What {@linkcode holds} and {@linkcode differs} may be told. */
export interface JudgementOptions {
  /** The unit of the number. @default {"1"} */
  readonly unit?: Unit;
}

/**
 * The run bears the claim out.
 *
 * @param measured the number that the rule was applied to
 * @param reason what was seen
 * @param options the number's unit
 * @returns the judgement
 */
export function holds(measured: number, reason: string, options: JudgementOptions = {}): Judgement {
  return { verdict: "holds", measured, unit: options.unit ?? "1", reason };
}

/**
 * The run contradicts the claim.
 *
 * @param measured the number that the rule was applied to
 * @param reason what was seen in place of what is stated
 * @param options the number's unit
 * @returns the judgement
 */
export function differs(measured: number, reason: string, options: JudgementOptions = {}): Judgement {
  return { verdict: "differs", measured, unit: options.unit ?? "1", reason };
}

/**
 * The run does not tell.
 *
 * @param reason why; where there is one, with the parameter that would measure it
 * @returns the judgement
 */
export function notMeasured(reason: string): Judgement {
  return { verdict: "not measured", measured: null, unit: null, reason };
}

/**
 * The claim is about something that is not here.
 *
 * @param reason the platform, the kernel's version or the client that it is about
 * @returns the judgement
 */
export function notApplicable(reason: string): Judgement {
  return { verdict: "not applicable here", measured: null, unit: null, reason };
}
