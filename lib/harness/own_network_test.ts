import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { CannotRunHereError, type Environment } from "../record/mod.ts";
import { readRun, verifyRun } from "../store/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import { family, networksGone, StartedLab, TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { findPlace, writeIn } from "./place.ts";
import { planRun } from "./plan.ts";
import type { RunRequest, SupervisorEvent } from "./protocol.ts";
import { previewRun, startRun } from "./start.ts";

const CROWDED = new URL("./fixtures/crowded.ts", import.meta.url);
const PORTS = 64;

/** The processes of a run, the uppermost first. */
const PROCESSES = ["deno task", "lab", "supervisor", "server", "measuring process"] as const;

function request(dataDirectory: string): RunRequest {
  return requestFor(CROWDED.href, { dataDirectory });
}

/** The machine's own settings. */
function settings(): Environment["network"] {
  return readEnvironment({ isolation: "none" }).network;
}

/** A run took each of its ports once, in one network, which is gone. */
async function assertFull(path: string): Promise<void> {
  const { guests } = (await readRun(path)).tables;
  const ports = guests!.numbers("port").toSorted();
  assertEquals([...ports], Array.from({ length: PORTS }, (_, index) => 40_000 + index));
  const [network, ...others] = new Set(guests!.texts("network"));
  assertEquals(others, []);
  await networksGone([network!]);
}

if (Deno.build.os === "linux") {
  Deno.test("runs in networks of their own do not meet, and the machine's is as before", async () => {
    using data = new TemporaryFolder();
    const before = settings();
    const events: SupervisorEvent[] = [];
    const onEvent = (event: SupervisorEvent) => void events.push(event);
    // Both listen on the same port.
    const runs = await Promise.all([1, 2].map(() => startRun(request(data.path), { onEvent })));
    for (const { path, status, reason } of runs) {
      assertEquals([status, reason], ["complete", null]);
      await assertFull(path);
      const { environment } = await readRun(path);
      assertEquals(environment?.isolation, "namespace");
      assertEquals(environment?.network.ephemeralPorts, [32_768, 60_999]);
      assertEquals((await verifyRun(path)).verdict, "ok");
      // What is written by root in there is the person's.
      for (const { name } of Deno.readDirSync(path)) {
        assertEquals(Deno.statSync(`${path}/${name}`).uid, Deno.uid(), name);
      }
    }
    const types = new Set(events.map(({ type }) => type));
    types.delete("warning");
    assertEquals(types, new Set(["created", "progress", "finished"]));
    assertEquals(settings(), before);
  });

  Deno.test("a preview of a run in a network of its own starts nothing", async () => {
    using data = new TemporaryFolder();
    const plan = await previewRun(request(data.path));
    assertEquals([plan.namespace, plan.servers], ["own", ["origin"]]);
    assertEquals([data.names, family()], [[], []]);
  });

  for (const [index, process] of PROCESSES.entries()) {
    Deno.test(`SIGKILL of ${process} while every port is taken leaves nothing but the rows`, async () => {
      using data = new TemporaryFolder();
      const before = settings();
      await using started = new StartedLab(["run", CROWDED.pathname, "--linger", "--data", data.path]);
      await started.underWay("full", PROCESSES.length);
      await started.suffer("SIGKILL", index);
      const [folder] = [...Deno.readDirSync(`${data.path}/crowded`)].map(({ name }) => name);
      await assertFull(`${data.path}/crowded/${folder}`);
      assertEquals(settings(), before);
    });
  }

  Deno.test("a process that may not start unshare is told so, and what helps", async () => {
    using folder = new TemporaryFolder();
    const [program, config] = ["./program.ts", "../../deno.json"].map((name) =>
      new URL(name, import.meta.url)
    );
    const main = folder.write(
      "main.ts",
      `import { Program } from "${program}";
      try {
        new Program(new URL(import.meta.url), { permissions: [], config: "", ownNetwork: true });
      } catch (error) {
        console.log(String(error));
      }`,
    );
    const rights = ["--allow-run=deno", `--config=${config!.pathname}`];
    const args = ["run", "--quiet", "--no-prompt", "--no-lock", ...rights, main];
    const { stdout } = await new Deno.Command("deno", { args, stderr: "inherit" }).output();
    assertEquals(
      new TextDecoder().decode(stdout),
      "CannotRunHereError: Cannot start a process of the lab as this one may not start unshare\n" +
        "Start it with the right to: --allow-run=deno,unshare\n",
    );
  });

  Deno.test("writeIn() says what helps where a folder is another user's, in a network of its own and nowhere else", () => {
    const cannot = (cause: Error) => () => {
      throw new CannotRunHereError("Cannot write", "Make it writable", { cause });
    };
    const denied = cannot(new Deno.errors.PermissionDenied("denied"));
    const full = cannot(new Error("No space left on device"));
    const remedy = (isolation: "none" | "namespace", write: () => never) =>
      assertThrows(() => writeIn({ isolation }, write), CannotRunHereError, "Cannot write").remedy;
    assertMatch(remedy("namespace", denied), /that belongs to you: .* not even when root starts it$/);
    assertEquals([remedy("none", denied), remedy("namespace", full)], [
      "Make it writable",
      "Make it writable",
    ]);
    assertEquals(writeIn({ isolation: "namespace" }, () => 1), 1);
  });

  Deno.test("findPlace() refuses, goes on without, or asks for another process, as system and experiment say", async () => {
    const planned = await planRun(request("/nowhere"), () => 1);
    const refusal = { available: false, reason: "it is forbidden", remedy: "Ask for it" };
    const refused = await assertRejects(
      () => findPlace(planned, "none", () => Promise.resolve(refusal)),
      CannotRunHereError,
      "Cannot run crowded in a network of its own as it is forbidden",
    );
    assertEquals(refused.remedy, "Ask for it");
    // This process was started in the machine's network, whatever it is told.
    const misled = await assertRejects(() => findPlace(planned, "namespace"), CannotRunHereError);
    assertMatch(misled.problem, /as it cannot be set up: .* the machine's own$/);
    const needs = { ...planned.needs, required: false };
    const place = await findPlace({ ...planned, needs }, "none", () => Promise.resolve(refusal));
    assertEquals([place?.isolation, place?.warnings.map(({ code }) => code)], ["none", ["no-namespace"]]);
    const free = { available: true, reason: null, remedy: null };
    assertEquals(await findPlace(planned, "none", () => Promise.resolve(free)), null);
    const link = { ...planned, needs: { ...needs, namespace: "link" } } as const;
    await assertRejects(() => findPlace(link, "none"), CannotRunHereError, "as it asks for an emulated link");
    assert((await findPlace({ ...planned, needs: { ...needs, namespace: "none" } }, "none")) !== null);
  });
}
