import { assertStringIncludes } from "@std/assert";
import { failure, type FailureName, FAILURES, type Phase } from "../../record/mod.ts";
import { describeUnanswered } from "./unanswered.ts";

const CASES: readonly [phase: Phase, kind: FailureName, reason: string, remedy: string][] = [
  ["dns", "name-not-found", "it gives no answer", "Check the spelling"],
  ["connect", "timed-out", "it takes no connection", "Look at the accept queue and at firewalls"],
  ["tls", "timed-out", "the TLS handshake fails", "Check that the port speaks TLS"],
  ["tls", "closed-early", "the TLS handshake fails", "Check that the port speaks TLS"],
  ["tls", "reset", "the TLS handshake fails", "Check that the port speaks TLS"],
  ["tls", "certificate-refused", "the TLS handshake fails", "(a CA file)"],
  ["tls", "descriptors-exhausted", "the TLS handshake fails", "Raise the descriptor limit"],
  ["wait", "timed-out", "it gives no answer", "then at the server's own queue"],
  ["wait", "reset", "it gives no answer", "Look at the server's log"],
  ["receive", "timed-out", "it gives no answer", "Name a URL whose answer ends"],
];

for (const [phase, kind, reason, remedy] of CASES) {
  Deno.test(`${kind} in the phase ${phase} has a remedy for what happened`, () => {
    const text = describeUnanswered(failure(phase, kind), "Words.");
    assertStringIncludes(text, `${reason} (${kind}): Words. `);
    assertStringIncludes(text, remedy);
  });
}

Deno.test("no first request is told to mind an idle limit, which it cannot have met", () => {
  for (const kind of Object.keys(FAILURES) as FailureName[]) {
    for (const phase of ["connect", "tls", "send", "wait", "receive"] satisfies Phase[]) {
      const text = describeUnanswered(failure(phase, kind), "Words");
      if (text.includes("idle")) throw new Error(text);
    }
  }
});
