import { assertEquals, assertMatch } from "@std/assert";
import { failureReason, failureTrace } from "./own_failure.ts";

Deno.test("failureReason() says what gives a missing right, and never names a flag that nobody can give", () => {
  const missing = (right: string, thing: string) =>
    failureReason(
      new Deno.errors.NotCapable(
        `Requires ${right} access to "${thing}", run again with the --allow-${right} flag`,
      ),
    );
  assertEquals(
    missing("net", "10.0.0.7:80"),
    'Requires net access to "10.0.0.7:80": name the host in the experiment\'s needs',
  );
  assertEquals(missing("run", "sh"), 'Requires run access to "sh": a measuring process has no such right');
  assertEquals(failureReason(new TypeError("Cannot add 1")), "Cannot add 1");
  assertEquals(failureReason("late"), "late");
});

Deno.test("failureTrace() keeps the frames of the experiment alone, and every frame where there is none", () => {
  const error = new Error("Cost $& more");
  const lab = new URL("../transport/tcp.ts", import.meta.url).href;
  const [deno, internal, own] = [
    "    at Object.connect (ext:deno_net/01_net.js:1:8648)",
    `    at connectTcp (${lab}:9:16)`,
    "    at Object.measure (file:///mine/mine.ts:9:16)",
  ];
  error.stack = ["Error: Cost $& more", deno, internal, own, internal].join("\n");
  assertEquals(failureTrace(error), `Error: Cost $& more\n${own}`);
  error.stack = ["Error: Cost $& more", deno, internal].join("\n");
  assertEquals(failureTrace(error), error.stack);
  assertMatch(failureTrace(new Error("Here")), /^Error: Here\n/);
});
