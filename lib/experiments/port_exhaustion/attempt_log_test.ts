import { assertEquals } from "@std/assert";
import { RecordingContext } from "../_shared/recording_context.ts";
import { AttemptLog } from "./attempt_log.ts";
import { type Tables, tables } from "./tables.ts";

const OPENED = { ends: { source: 1, port: 40_000, destination: 1 } };

Deno.test("a series of tries that failed alike is one row, with the place of its first and both times", () => {
  const notes = new RecordingContext<Tables>(tables);
  const log = new AttemptLog(notes.context, "base", "hold");
  log.opened(1, OPENED);
  for (const startMs of [2, 3, 4]) log.failed(startMs, "local-ports-exhausted");
  log.failed(5, "address-in-use");
  log.opened(6, OPENED);
  log.failed(7, "refused");
  log.end();
  log.end();
  assertEquals(
    notes.rows.attempts.map((row) => [row.order, row.tries, row.startMs, row.lastMs, row.failureKind]),
    [
      [0, 1, 1, null, null],
      [1, 3, 2, 4, "local-ports-exhausted"],
      [4, 1, 5, 5, "address-in-use"],
      [5, 1, 6, null, null],
      [6, 1, 7, 7, "refused"],
    ],
  );
  assertEquals(notes.rows.attempts.map(({ failureSide }) => failureSide), [
    null,
    "client",
    "client",
    null,
    "server",
  ]);
});
