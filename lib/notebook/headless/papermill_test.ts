import { assertEquals } from "@std/assert";
import type { Notebook } from "./nbformat.ts";
import { noteRun } from "./papermill.ts";

const NOTEBOOK: Notebook = {
  cells: [],
  metadata: { kept: 1, papermill: { old: 1 } },
  nbformat: 4,
  nbformat_minor: 5,
};
const startedMs = Date.UTC(2026, 0, 2, 3, 4, 5);

Deno.test("a run is noted as papermill does, in place of an earlier note", () => {
  const parameters = [{ name: "n", keyword: "let" as const, value: [1] }];
  assertEquals(
    noteRun(NOTEBOOK, { parameters, startedMs, endedMs: startedMs + 1500, failed: false }).metadata,
    {
      kept: 1,
      papermill: {
        parameters: { n: [1] },
        start_time: "2026-01-02T03:04:05.000Z",
        end_time: "2026-01-02T03:04:06.500Z",
        duration: 1.5,
        exception: null,
      },
    },
  );
});

Deno.test("a run that goes on has no end, one that failed an exception", () => {
  const papermill = (endedMs: number | null, failed: boolean) =>
    noteRun(NOTEBOOK, { parameters: [], startedMs, endedMs, failed }).metadata.papermill as Record<
      string,
      unknown
    >;
  assertEquals([papermill(null, false).end_time, papermill(null, false).duration], [null, null]);
  assertEquals(papermill(startedMs, true).exception, true);
});
