import { CannotRunHereError, MisuseError } from "../record/mod.ts";

/** What a program of the lab says when it cannot do what it was asked: nothing was started. */
export interface Refusal {
  /** Tells it from what else the program says. */
  readonly type: "refused";
  /** The exit status that it amounts to: misuse (2), or this machine cannot (3). */
  readonly status: 2 | 3;
  /** What cannot be done, and why. */
  readonly message: string;
  /** What can be done about it; `null` when the message says it. */
  readonly remedy: string | null;
}

/**
 * An error as it goes from process to process.
 *
 * @param error what was thrown
 * @returns the refusal; `null` when the error is none, but a fault
 */
export function toRefusal(error: unknown): Refusal | null {
  if (error instanceof MisuseError) {
    return { type: "refused", status: 2, message: error.message, remedy: null };
  }
  if (error instanceof CannotRunHereError) {
    return { type: "refused", status: 3, message: error.problem, remedy: error.remedy };
  }
  return null;
}

/**
 * The error that a refusal was in the process that it came from.
 *
 * @param refusal what was said
 * @returns the error
 */
export function toError({ status, message, remedy }: Refusal): MisuseError | CannotRunHereError {
  return status === 2
    ? new MisuseError(message)
    : new CannotRunHereError(message, remedy ?? "See the message");
}
