import { type Failure, failure, type FailureName, FAILURES, type Phase } from "../record/mod.ts";

const KINDS = Object.keys(FAILURES) as readonly FailureName[];
const PHASES: readonly Phase[] = ["client", "dns", "connect", "tls", "send", "wait", "receive"];

/**
 * The number that stands for a failure where many are kept in a byte each; 0 stands for none.
 *
 * @param phase where it came
 * @param kind its kind
 * @returns the number, from 1 to 255
 *
 * @example
 * ```ts
 * import { failureCode, failureOf } from "./failure_code.ts";
 * import { assertEquals } from "@std/assert";
 * const code = failureCode("connect", "refused");
 * assertEquals(failureOf(code), { phase: "connect", kind: "refused", side: "server" });
 * assertEquals(failureOf(0), null);
 * ```
 */
export function failureCode(phase: Phase, kind: FailureName): number {
  return 1 + PHASES.indexOf(phase) * KINDS.length + KINDS.indexOf(kind);
}

/**
 * The failure that a number stands for.
 *
 * @param code what {@linkcode failureCode} gave, or 0
 * @returns the failure; `null` for 0
 */
export function failureOf(code: number): Failure | null {
  if (code === 0) return null;
  const place = code - 1;
  return failure(PHASES[Math.floor(place / KINDS.length)]!, KINDS[place % KINDS.length]!);
}
