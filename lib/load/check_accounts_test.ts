import { assertThrows } from "@std/assert";
import { REPORT } from "./_made_report.ts";
import { checkAccounts } from "./check_accounts.ts";

Deno.test("checkAccounts: whatever is missing or too many is told", () => {
  checkAccounts(REPORT);
  const [second] = REPORT.seconds;
  for (
    const [law, change] of [
      ["sent = answered + failed + unfinished", { sent: 4 }],
      ["sent = answered + failed + unfinished", { unfinished: 1 }],
      ["sent = answered + failed + unfinished", {
        failures: [{ phase: "wait", kind: "reset", side: "server", count: 1 }],
      }],
      ["sent = fresh + reused", { fresh: 2 }],
      ["sent = the sum over seconds", { seconds: [{ ...second!, sent: 2 }] }],
      ["answered = the sum over seconds", { seconds: [{ ...second!, answered: [0, 0, 2] }] }],
      ["failed = the sum over seconds", { seconds: [{ ...second!, failed: 1 }] }],
    ] as const
  ) {
    assertThrows(() => checkAccounts({ ...REPORT, ...change }), Error, law);
  }
});

Deno.test("checkAccounts: a client that does not tell its connections is not asked for them", () => {
  checkAccounts({ ...REPORT, fresh: null, reused: null });
});
