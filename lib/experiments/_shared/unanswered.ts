import { type Failure, type FailureName, FAILURES, type Phase } from "../../record/mod.ts";

/** What keeps a first request from its answer, by the phase in which that showed. */
const REASONS: Partial<Record<Phase, string>> = {
  connect: "it takes no connection",
  tls: "the TLS handshake fails",
};

/** What ends a handshake whose other side does not know what it is. */
const AT_A_LOSS: readonly FailureName[] = ["timed-out", "closed-early", "reset", "bad-response"];

/** What can be done about the failure of the first request of a connection, in the phase in which it came. */
function remedyOf({ phase, kind }: Failure): string {
  if (phase === "tls" && AT_A_LOSS.includes(kind)) return FAILURES["tls-failed"].remedy;
  if (phase === "receive" && kind === "timed-out") {
    return "Name a URL whose answer ends: this one began to come, and did not end in time";
  }
  // A connection that is new has met no idle limit.
  return FAILURES[kind === "reset" ? "closed-early" : kind].remedy;
}

/**
 * Why a server does not answer the first request of a connection, and what can be done.
 *
 * @param failure the failure
 * @param error what was said of it
 * @returns the reason, the kind of the failure, what was said, and the remedy, as the end of a sentence and one more
 *
 * @example
 * ```ts
 * import { failure } from "../../record/mod.ts";
 * import { describeUnanswered } from "./unanswered.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(
 *   describeUnanswered(failure("connect", "refused"), "Connection refused (os error 111)"),
 *   "it takes no connection (refused): Connection refused (os error 111). Start the server, or correct the port",
 * );
 * ```
 */
export function describeUnanswered(failure: Failure, error: string): string {
  const reason = REASONS[failure.phase] ?? "it gives no answer";
  return `${reason} (${failure.kind}): ${error.replace(/\.$/, "")}. ${remedyOf(failure)}`;
}
