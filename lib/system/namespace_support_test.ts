import { assert, assertEquals, assertMatch } from "@std/assert";
import { explainRefusal, namespaceSupport } from "./namespace_support.ts";

const EPERM = "unshare: unshare failed: Operation not permitted";

const REFUSALS: readonly [said: string, settings: Record<string, string>, reason: string, remedy: RegExp][] =
  [
    ["", {}, "no program called unshare can be started", /Install util-linux/],
    [EPERM, { "kernel.unprivileged_userns_clone": "0" }, "kernel.unprivileged_userns_clone is 0", /clone=1$/],
    [
      "unshare: unshare failed: No space left on device",
      { "user.max_user_namespaces": "0", "kernel.unprivileged_userns_clone": "1" },
      "user.max_user_namespaces is 0",
      /max_user_namespaces=1000/,
    ],
    [
      "unshare: write failed /proc/self/uid_map: Operation not permitted",
      { "user.max_user_namespaces": "96365", "kernel.apparmor_restrict_unprivileged_userns": "1" },
      "kernel.apparmor_restrict_unprivileged_userns is 1",
      /AppArmor profile/,
    ],
    [
      "unshare: unshare failed: No space left on device",
      { "user.max_user_namespaces": "96365", "user.max_net_namespaces": "1" },
      "there are as many namespaces as the system allows",
      /^End other runs, or raise/,
    ],
    [EPERM, { "user.max_user_namespaces": "96365" }, `the system refused: ${EPERM}`, /seccomp=unconfined/],
  ];

for (const [said, settings, reason, remedy] of REFUSALS) {
  Deno.test(`without namespaces the reason is told: ${reason}`, () => {
    const support = explainRefusal(said, (name) => settings[name] ?? null);
    assertEquals([support.available, support.reason], [false, reason]);
    assertMatch(support.remedy!, remedy);
  });
}

Deno.test("namespaceSupport() says yes without a reason, or no with reason and remedy", async () => {
  const { available, reason, remedy } = await namespaceSupport();
  assert(available ? reason === null && remedy === null : reason !== null && remedy !== null);
});
