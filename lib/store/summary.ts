import type { Metric } from "../record/mod.ts";

/**
 * Makes sure that a summary can be read again once it is in the descriptor of a run: a person's own experiment
 * may return anything.
 *
 * @param summary what the experiment returned
 * @returns the summary
 * @throws {TypeError} it is no array of metrics
 */
export async function checkSummary(summary: unknown): Promise<readonly Metric[]> {
  const { SUMMARY } = await import("./_manifest_schema.ts");
  const outcome = SUMMARY.safeParse(summary);
  if (outcome.success) return outcome.data;
  const { path, message } = outcome.error.issues[0]!;
  throw new TypeError(
    `Cannot use the summary as ${["it", ...path].join(".")} must be made by metric(): ${message}`,
  );
}
