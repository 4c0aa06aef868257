import { assertEquals } from "@std/assert";
import { TemporaryFolder } from "../../testing/mod.ts";
import { code, notebookOf } from "./_notebooks.ts";
import { serializeNotebook } from "./nbformat.ts";
import type { NotebookEvent } from "./protocol.ts";
import { runJobs } from "./runner.ts";

Deno.test("an interruption before the first cell leaves a notebook that is run in place as it was", async () => {
  using folder = new TemporaryFolder();
  const path = `${folder.path}/a.ipynb`;
  const cell = {
    ...code("1"),
    outputs: [{ output_type: "stream" as const, name: "stdout" as const, text: "old" }],
  };
  const content = serializeNotebook(notebookOf([cell]));
  await Deno.writeTextFile(path, content);
  const controller = new AbortController();
  const events: NotebookEvent[] = [];
  await runJobs({ jobs: [{ name: "a", source: path, target: path }], quick: false, timeoutMs: null }, {
    signal: controller.signal,
    emit: (event) => events.push(event),
    now: () => {
      controller.abort();
      return 0;
    },
  });
  assertEquals(events, [
    {
      type: "saved",
      result: {
        name: "a",
        path: null,
        status: "interrupted",
        failure: null,
        reason: "The run was interrupted before the first cell",
        durationMs: 0,
        warnings: [],
      },
    },
    { type: "done" },
  ]);
  assertEquals(folder.names, ["a.ipynb"]);
  assertEquals(await Deno.readTextFile(path), content);
});
