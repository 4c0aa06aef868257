import { assertEquals } from "@std/assert";
import { type DefaultRow, defaultRows, type Observation } from "./defaults.ts";

const SEEN: Observation = {
  client: "fetch",
  kept: { watchedMs: 8000, requests: 9, longestIdleMs: 900, connections: 1 },
  connecting: { watchedMs: 8100, error: null },
  bursts: { concurrency: 10, first: 10, second: 10 },
  pauses: [],
  told: {},
};

function rowOf(setting: string, changes: Partial<Observation> = {}): DefaultRow {
  return defaultRows({ ...SEEN, ...changes }).find((row) => row.setting === setting)!;
}

const valueAndHow = ({ value, unit, how }: DefaultRow) => [value, unit, how];

Deno.test("a limit that was not seen prints as none, with how far it was looked for", () => {
  const rows = defaultRows(SEEN);
  assertEquals(rows.map(({ setting, value, how }) => [setting, value, how]), [
    ["lifetime", "none", "observed"],
    ["idle timeout", null, null],
    ["connect timeout", "none", "observed"],
    ["connections", "none", "observed"],
    ["idle connections", "none", "observed"],
  ]);
  assertEquals(rows[0]!.reason, "Not seen within 8 s: 9 requests within 8 s went over 1 connection");
  assertEquals(rows[1]!.reason, "Not looked for (--observe-idle 100s)");
  assertEquals(rows.every(({ unit }) => unit === null), true);
});

Deno.test("a limit that was seen has a number with its unit", () => {
  assertEquals(
    valueAndHow(rowOf("lifetime", { kept: { ...SEEN.kept, connections: 3 } })),
    ["8000", "ms", "observed"],
  );
  assertEquals(
    valueAndHow(rowOf("connect timeout", { connecting: { watchedMs: 3000.4, error: "timed out" } })),
    ["3000", "ms", "observed"],
  );
  const capped = { bursts: { concurrency: 10, first: 6, second: 6 } };
  assertEquals(valueAndHow(rowOf("connections", capped)), ["6", "1", "observed"]);
  const dropping = { bursts: { concurrency: 10, first: 10, second: 18 } };
  assertEquals(valueAndHow(rowOf("idle connections", dropping)), ["2", "1", "observed"]);
});

Deno.test("idle connections are those of the first burst, also under a cap of connections", () => {
  for (
    const [first, second, value, reason] of [
      [6, 6, "none", "Not seen: 6 of 6 connections of a burst were used by the next"],
      [6, 10, "2", "Seen: 2 of 6 connections of a burst were used by the next"],
      [10, 20, "0", "Seen: 0 of 10 connections of a burst were used by the next"],
      [11, 11, "none", "Not seen: 10 of 10 connections of a burst were used by the next"],
    ] as const
  ) {
    const row = rowOf("idle connections", { bursts: { concurrency: 10, first, second } });
    assertEquals([row.value, row.reason], [value, reason]);
  }
});

Deno.test("connections beyond the requests of a burst are no cap", () => {
  assertEquals(rowOf("connections", { bursts: { concurrency: 10, first: 11, second: 11 } }).value, "none");
});

Deno.test("a burst of one request shows no limit; what the client tells stands alone", () => {
  const bursts = { concurrency: 1, first: 1, second: 1 };
  for (const setting of ["connections", "idle connections"] as const) {
    const { value, how, reason } = rowOf(setting, { bursts });
    assertEquals([value, how, reason], [null, null, "One request shows no limit (--concurrency 10)"]);
    const told = rowOf(setting, { bursts, told: { [setting]: Infinity } });
    assertEquals([told.value, told.how, told.reason], ["none", "read", "Its own setting"]);
  }
  assertEquals(rowOf("connections", { bursts: { concurrency: 2, first: 2, second: 2 } }).value, "none");
});

Deno.test("an idle timeout lies between the last pause that was survived and the first that was not", () => {
  const pauses = [5000, 10_000, 15_000].map((pauseMs) => ({ pauseMs, reused: pauseMs < 9000 }));
  const row = rowOf("idle timeout", { pauses });
  assertEquals(valueAndHow(row), ["10000", "ms", "observed"]);
  assertEquals(row.reason, "At most this: used again after 5 s, and no more after 10 s");
  const all = pauses.map(({ pauseMs }) => ({ pauseMs, reused: true }));
  assertEquals(rowOf("idle timeout", { pauses: all }), {
    ...{ client: "fetch", setting: "idle timeout", value: null, unit: null, how: null },
    reason: "Not seen: a connection idle for 15 s was used again",
  });
  assertEquals(rowOf("idle timeout", { pauses: [{ pauseMs: 1, reused: null }] }).value, null);
});

Deno.test("what could not be observed has no value but a reason", () => {
  for (
    const [setting, changes] of [
      ["lifetime", { kept: { ...SEEN.kept, connections: null } }],
      ["lifetime", { kept: { ...SEEN.kept, longestIdleMs: 1000, connections: 2 } }],
      ["connect timeout", { connecting: { watchedMs: null, error: null } }],
      ["connections", { bursts: null }],
      ["idle connections", { bursts: null }],
    ] as const
  ) {
    const { value, how, reason } = rowOf(setting, changes);
    assertEquals([value, how, typeof reason], [null, null, "string"], setting);
  }
});

Deno.test("what the client tells goes before what was observed, and says that it was read", () => {
  const told = { "lifetime": Infinity, "connect timeout": 30_000, "idle timeout": Infinity };
  assertEquals(valueAndHow(rowOf("lifetime", { told })), ["none", null, "read"]);
  assertEquals(valueAndHow(rowOf("connect timeout", { told })), ["30000", "ms", "read"]);
  assertEquals(rowOf("idle timeout", { told }).reason, "Its own setting");
  assertEquals(
    rowOf("connections", { told: { "connections": 6 } }).reason,
    "Its own setting; not seen: a burst of 10 requests opened 10 connections",
  );
  assertEquals(valueAndHow(rowOf("connections", { told })), ["none", null, "observed"]);
});
