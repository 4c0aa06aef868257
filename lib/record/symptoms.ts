import { CONDITIONS, FAILURES, type Limit } from "./failure.ts";
import { LABELS } from "./label.ts";

/** A line of the table that leads from what a person sees to what can be done about it. */
export interface Symptom {
  /** The name that rows, labels and warnings use. */
  readonly name: string;
  /** What a person sees. */
  readonly symptom: string;
  /** Where it comes from. */
  readonly cause: string;
  /** Whose limit it is where nothing more is known. */
  readonly limit: Limit;
  /** What can be done about it. */
  readonly remedy: string;
}

/** Which symptoms: errors, or what is no error and is often taken for one. */
export type SymptomKind = "errors" | "no-errors";

/**
 * The table of symptoms: every kind of failure; then, as no errors, every condition and every label of an exchange.
 *
 * @param kind which part of it
 * @returns its lines, as rows that `show` shows
 *
 * @example
 * ```ts
 * import { symptoms } from "./symptoms.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(symptoms("errors").find(({ name }) => name === "local-ports-exhausted")?.limit, "client");
 * assertEquals(symptoms("no-errors").find(({ name }) => name === "waits-by-design")?.limit, "nobody");
 * ```
 */
export function symptoms(kind: SymptomKind): Symptom[] {
  if (kind === "errors") return linesOf(FAILURES);
  const labels = Object.entries(LABELS).map(([name, { meaning, ...label }]) =>
    [name, { ...label, symptom: meaning }] as const
  );
  return linesOf({ ...CONDITIONS, ...Object.fromEntries(labels) });
}

function linesOf(
  list: Readonly<Record<string, { symptom: string; cause: string; side: Limit; remedy: string }>>,
): Symptom[] {
  return Object.entries(list).map(([name, { symptom, cause, side: limit, remedy }]) => ({
    name,
    symptom,
    cause,
    limit,
    remedy,
  }));
}
