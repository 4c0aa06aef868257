import { assertEquals } from "@std/assert";
import { readRun } from "../store/mod.ts";
import { networksGone, StartedLab, TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { startRun } from "./start.ts";

const PARTITIONED = new URL("./fixtures/partitioned.ts", import.meta.url);

/** Its processes, the uppermost first: `deno task`, lab, supervisor, five servers and the measuring process. */
const PROCESSES = 9;

/** Who is killed, by place. */
const VICTIMS = { supervisor: 2, "server in a network": 4, "measuring process": 8 };

/** Servers were visited where they are and nowhere else; their networks are gone. */
async function assertApart(path: string): Promise<void> {
  const { visits } = (await readRun(path)).tables;
  const [servers, networks] = [visits!.texts("server"), visits!.texts("network")];
  const seen = [...visits!.numbers("visit")].map((visit, row) => [servers[row], visit]);
  assertEquals(seen, [["home", 1], ["a", 2], ["a", 3], ["b", 4]]);
  assertEquals([networks[1], new Set(networks).size], [networks[2], 3]);
  // The relay in the network obeys its settings too.
  const isInRange = (port: number) => port >= 20_000 && port < 20_100;
  assertEquals([...visits!.numbers("port").slice(1, 3)].map(isInRange), [true, true]);
  await networksGone([...networks].map(String));
}

if (Deno.build.os === "linux") {
  Deno.test("servers that name the same network reach each other there, and nobody else", async () => {
    using data = new TemporaryFolder();
    const { path, status, reason } = await startRun(
      requestFor(PARTITIONED.href, { dataDirectory: data.path }),
    );
    assertEquals([status, reason], ["complete", null]);
    await assertApart(path);
  });

  for (const [victim, place] of Object.entries(VICTIMS)) {
    Deno.test(`SIGKILL of ${victim} leaves nothing in the networks of servers`, async () => {
      using data = new TemporaryFolder();
      const options = ["--linger", "--data", data.path];
      await using started = new StartedLab(["run", PARTITIONED.pathname, ...options]);
      await started.underWay("visited", PROCESSES);
      await started.suffer("SIGKILL", place);
      const [folder] = [...Deno.readDirSync(`${data.path}/partitioned`)].map(({ name }) => name);
      await assertApart(`${data.path}/partitioned/${folder}`);
    });
  }
}
