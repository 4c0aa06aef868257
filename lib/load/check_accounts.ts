import type { LoadReport } from "./report.ts";

/** What {@linkcode checkAccounts} looks at. */
export type Accounts = Pick<
  LoadReport,
  "sent" | "answered" | "failures" | "unfinished" | "fresh" | "reused" | "seconds"
>;

/**
 * Checks that every request is accounted for: what was sent was answered, failed, or was on its way at the end; the
 * seconds add up to the whole.
 *
 * @param report what came of a load
 * @throws {Error} it does not add up, which is a defect of the engine
 */
export function checkAccounts(
  { sent, answered, failures, unfinished, fresh, reused, seconds }: Accounts,
): void {
  const whole = sum(answered);
  const failed = sum(failures.map(({ count }) => count));
  requireSum("sent = answered + failed + unfinished", sent, [whole, failed, unfinished]);
  if (fresh !== null && reused !== null) requireSum("sent = fresh + reused", sent, [fresh, reused]);
  requireSum("sent = the sum over seconds", sent, seconds.map((second) => second.sent));
  requireSum("answered = the sum over seconds", whole, seconds.flatMap((second) => second.answered));
  requireSum("failed = the sum over seconds", failed, seconds.map((second) => second.failed));
}

function requireSum(law: string, total: number, parts: readonly number[]): void {
  if (sum(parts) === total) return;
  throw new Error(
    `Cannot report load as its accounts do not add up: ${law}, but ${total} = ${parts.join(" + ")}`,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
