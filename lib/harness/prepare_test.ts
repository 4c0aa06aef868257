import { assertEquals, assertGreaterOrEqual, assertMatch } from "@std/assert";
import { readRun } from "../store/mod.ts";
import { readKernelFile } from "../system/mod.ts";
import { family, TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { SECRET, WORD } from "./fixtures/secretive.ts";
import { type EndedRun, type StartOptions, startRun } from "./start.ts";

function run(dataDirectory: string, manner: string, options: StartOptions = {}): Promise<EndedRun> {
  const experiment = import.meta.resolve("./fixtures/secretive.ts");
  return startRun(requestFor(experiment, { params: { manner }, dataDirectory }), options);
}

Deno.test("the measuring process finds what is prepared for it, and nothing of the servers'", async () => {
  using data = new TemporaryFolder();
  for (const [manner, found] of [["well", { word: WORD }], ["nothing", {}]] as const) {
    const { path } = await run(data.path, manner);
    const { status, tables } = await readRun(path);
    assertEquals([status, tables.findings!.texts("found")], ["complete", [JSON.stringify(found)]]);
  }
});

if (Deno.build.os === "linux") {
  Deno.test("a secret of a server stands in no file, no event, no output, no command line", async () => {
    using data = new TemporaryFolder();
    const seen: string[] = [];
    let processes = 0;
    const { path } = await run(data.path, "well", {
      onStderr: (line) => seen.push(line),
      onEvent(event) {
        seen.push(JSON.stringify(event));
        if (event.type !== "progress") return;
        for (const pid of family()) {
          processes++;
          seen.push(readKernelFile(`/proc/${pid}/cmdline`));
        }
      },
    });
    const files = [...Deno.readDirSync(path)].map(({ name }) => name);
    for (const name of files) seen.push(Deno.readTextFileSync(`${path}/${name}`));
    // The supervisor, the server and the measuring process; the manifest and the table.
    assertGreaterOrEqual(processes, 3);
    assertGreaterOrEqual(files.length, 2);
    assertEquals(seen.filter((text) => text.includes(SECRET)), []);
    assertEquals(seen.filter((text) => text.includes(WORD)).length, 1);
  });
}

for (
  const [manner, reason] of [
    ["throws", /^The ink is dry$/],
    ["stranger", /^Cannot prepare run as it has no server passer-by to tell something: .* confidant$/],
    ["odd", /^Cannot prepare run as what the measuring process finds must be text: word is not$/],
    ["forever", /^It took longer than its budget/],
  ] as const
) {
  Deno.test(`a run that prepares badly (${manner}) has failed, and can be read`, async () => {
    using data = new TemporaryFolder();
    const ended = await run(data.path, manner);
    assertEquals(ended.status, "failed");
    assertMatch(ended.reason ?? "", reason);
    assertEquals((await readRun(ended.path)).status, "failed");
  });
}
