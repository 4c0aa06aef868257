import { assertEquals } from "@std/assert";
import { failure } from "../../record/mod.ts";
import { type ProxyStats, since } from "./proxy_stats.ts";

const BEFORE: ProxyStats = {
  ...{ requests: 10, passed: 7, opened: 5, failedToOpen: 2, reused: 3 },
  ...{ stale: { write: 1, read: 2 }, retried: { write: 1, read: 0 } },
  failed: [{ ...failure("wait", "reset"), count: 2 }, { ...failure("connect", "refused"), count: 1 }],
};

Deno.test("since() gives what a proxy counted between two looks, failures by phase, kind and side", () => {
  const after: ProxyStats = {
    ...{ requests: 20, passed: 12, opened: 6, failedToOpen: 3, reused: 9 },
    ...{ stale: { write: 1, read: 5 }, retried: { write: 2, read: 0 } },
    failed: [
      { ...failure("wait", "reset"), count: 5 },
      { ...failure("connect", "refused"), count: 1 },
      { ...failure("send", "reset"), count: 4 },
    ],
  };
  assertEquals(since(BEFORE, after), {
    ...{ requests: 10, passed: 5, opened: 1, failedToOpen: 1, reused: 6 },
    ...{ stale: { write: 0, read: 3 }, retried: { write: 1, read: 0 } },
    failed: [{ ...failure("wait", "reset"), count: 3 }, { ...failure("send", "reset"), count: 4 }],
  });
  assertEquals(since(BEFORE, BEFORE).failed, []);
});
