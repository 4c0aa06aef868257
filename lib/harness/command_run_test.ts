import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { CannotRunHereError, MisuseError } from "../record/mod.ts";
import { readRun } from "../store/mod.ts";
import { freePort, StartedLab, TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { readParamFiles } from "./param_files.ts";
import type { SupervisorEvent } from "./protocol.ts";
import { previewRun, startRun } from "./start.ts";

const HOSTING = new URL("./fixtures/hosting.ts", import.meta.url);
const KEPT = new URL("./fixtures/kept.ts", import.meta.url);

/** A server of a person's own, as words. */
function wordsOf(port: number): string[] {
  return [
    "deno",
    "run",
    "--quiet",
    "--no-prompt",
    "--allow-net=127.0.0.1",
    "--allow-read",
    KEPT.pathname,
    `${port}`,
  ];
}

/** What a person asks for who stands in a folder. */
async function requestOf(folder: string, given: Record<string, unknown>) {
  const params = await readParamFiles(HOSTING.href, given, { folder });
  return requestFor(HOSTING.href, { dataDirectory: `${folder}/data`, params });
}

if (Deno.build.os === "linux") {
  Deno.test("a run starts what a person named, where they stand, and records it without folders", async () => {
    using folder = new TemporaryFolder();
    const port = freePort();
    const events: SupervisorEvent[] = [];
    const ended = await startRun(await requestOf(folder.path, { server: wordsOf(port), port }), {
      onEvent: (event) => void events.push(event),
    });
    assertEquals([ended.status, ended.reason], ["complete", null]);
    const run = await readRun(ended.path);
    const [guest] = [...run.tables.guests!.rows()];
    const { body, ...rest } = guest!;
    assertEquals(body, await Deno.realPath(folder.path));
    assertEquals(rest, { program: "deno", code: 7, said: "Cannot open index.html" });
    const recorded = `deno run --quiet --no-prompt --allow-net=127.0.0.1 --allow-read kept.ts ${port}`;
    assertEquals(run.params.server, recorded);
    const [created] = events;
    assertEquals(created?.type === "created" && created.plan.servers, [
      `command --port ${port}: ${recorded}`,
    ]);
  });

  Deno.test("a program that a person did not name, or that is not found, is not started", async () => {
    using folder = new TemporaryFolder();
    const preview = async (given: Record<string, unknown>) =>
      await previewRun(await requestOf(folder.path, given));
    const server = wordsOf(1);
    const refused: [given: Record<string, unknown>, message: string][] = [
      [{ server, manner: "stranger" }, "no parameter names the program that its server command starts: sh"],
      [{ server, manner: "bare" }, "its server command has no program to start"],
      [{}, "its server command has no program to start"],
      [{ server, manner: "origin" }, "its server origin starts no program: command does"],
      [{ server: "./none" }, "Cannot use server as there is no program ./none"],
      [
        { server: "deno 'run" },
        "Cannot use server as it must be a program with its arguments, every quote closed",
      ],
    ];
    for (const [given, message] of refused) await assertRejects(() => preview(given), MisuseError, message);
    const error = await assertRejects(() => preview({ server: "no-such-program-here" }), CannotRunHereError);
    assertStringIncludes(error.message, "no program called no-such-program-here is found");
    // Named, but not by a person who asks for a run: nobody has given the right to start it.
    const unasked = requestFor(HOSTING.href, { params: { server: "sh -c true" } });
    await assertRejects(() => previewRun(unasked), CannotRunHereError, "no program called sh is found");
  });

  Deno.test("a path is that of the folder where the person stands", async () => {
    using folder = new TemporaryFolder();
    folder.write("serve", "");
    const { server } = await readParamFiles(HOSTING.href, { server: "./serve --now" }, {
      folder: folder.path,
    });
    assertEquals(server, { program: `${folder.path}/serve`, args: ["--now"], folder: folder.path });
  });

  Deno.test("whichever process above it is killed, the command is not left", async () => {
    // Of its family, the uppermost first: deno task, the lab, the supervisor, who keeps the command, the command.
    await Promise.all([1, 2, 3].map(async (process) => {
      using folder = new TemporaryFolder();
      const port = freePort();
      const options = ["--manner", "lingers", "--port", `${port}`, "--data", folder.path];
      await using lab = new StartedLab([
        "run",
        HOSTING.pathname,
        "--server",
        wordsOf(port).join(" "),
        ...options,
      ]);
      await lab.underWay("at home", 6);
      await lab.suffer("SIGKILL", process);
    }));
  });

  Deno.test("when who keeps a command is killed, what the command has started apart is not left", async () => {
    using folder = new TemporaryFolder();
    const port = freePort();
    const [deno, run, ...rest] = wordsOf(port);
    const server = [deno, run, "--allow-run=deno", ...rest, "parent"].join(" ");
    const options = ["--manner", "lingers", "--port", `${port}`, "--data", folder.path];
    await using lab = new StartedLab(["run", HOSTING.pathname, "--server", server, ...options]);
    await lab.underWay("at home", 7);
    await lab.suffer("SIGKILL", 3);
  });
}
