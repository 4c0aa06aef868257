import { assertEquals } from "@std/assert";
import { readRun } from "../store/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { startRun } from "./start.ts";

if (Deno.build.os !== "windows") {
  Deno.test("the measuring process hears how a server ended that may, and the run goes on", async () => {
    using data = new TemporaryFolder();
    const ends = await Promise.all((["killed", "asked"] as const).map(async (way) => {
      const params = { way };
      const ended = await startRun(
        requestFor(import.meta.resolve("./fixtures/bereaved.ts"), { dataDirectory: data.path, params }),
      );
      assertEquals([ended.status, ended.reason], ["complete", null]);
      return [...(await readRun(ended.path)).tables.ends!.rows()];
    }));
    const heard = { wasKnown: false, isKnown: true, isInTime: true };
    assertEquals(ends, [
      [{ code: 137, signal: "SIGKILL", ...heard }],
      [{ code: 0, signal: "none", ...heard }],
    ]);
  });
}
