import { assertEquals } from "@std/assert";
import { RecordingContext } from "./recording_context.ts";
import { endInTime } from "./target_time.ts";

/** Waits for the end of the time, or of the run. */
const wait = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

Deno.test("endInTime() stops what takes longer, and says so", async () => {
  const { context, warnings } = new RecordingContext({});
  await endInTime(1, context, ({ signal }) => wait(signal));
  assertEquals(warnings, ["time-over"]);
});

Deno.test("endInTime() says nothing of a run that ended in time, or was stopped", async () => {
  const { context, warnings, abort } = new RecordingContext({});
  // Longer than a timer of the runtime can wait.
  await endInTime(1e12, context, ({ signal }) => Promise.resolve(signal.throwIfAborted()));
  const stopped = endInTime(1e12, context, ({ signal }) => wait(signal));
  abort.abort();
  await stopped;
  assertEquals(warnings, []);
});
