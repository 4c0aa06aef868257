import { assert, assertEquals, assertLess, assertMatch, assertRejects } from "@std/assert";
import type { ServerSpec } from "../experiments/mod.ts";
import type { CommandLine } from "../record/mod.ts";
import { descendantsOf, isAlive, sendSignal } from "../system/mod.ts";
import { allGone, freePort, TemporaryFolder, until } from "../testing/mod.ts";
import type { ServerEnded } from "./protocol.ts";
import { Servers } from "./servers.ts";

const { pathname: KEPT } = new URL("./fixtures/kept.ts", import.meta.url);

/** A server of a person's own that behaves in some manner. */
function commandOf(port: number, manner = "plain"): CommandLine {
  const rights = ["--allow-net=127.0.0.1", "--allow-read", "--allow-run=deno"];
  const args = ["run", "--quiet", "--no-prompt", ...rights, KEPT, `${port}`, manner];
  return { program: "deno", args, folder: null };
}

function specOf(port: number, run = commandOf(port), flags: readonly string[] = []): ServerSpec {
  return { name: "command", as: "server", flags: ["--port", `${port}`, ...flags], run, mayEnd: true };
}

async function bodyOf(port: number, path = "/"): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

function endOf(servers: Servers): Promise<ServerEnded> {
  return new Promise((resolve) => servers.tellEnds(resolve));
}

if (Deno.build.os === "linux") {
  Deno.test("a command is started where the person stands, found where it listens, and ended", async () => {
    using folder = new TemporaryFolder();
    const port = freePort();
    let pids: number[] = [];
    {
      await using servers = await Servers.start([specOf(port, { ...commandOf(port), folder: folder.path })]);
      const { hostname, ports, pid, ...rest } = servers.handles.server!;
      assertEquals({ hostname, ports, port: rest.port }, { hostname: "127.0.0.1", ports: [], port });
      assertEquals(await bodyOf(port), await Deno.realPath(folder.path));
      pids = [pid, keeperOf(pid)];
    }
    assertEquals(pids.filter(isAlive), []);
  });

  Deno.test("what it starts ends with it, in its group or not, and what does not heed is killed", async () => {
    for (const manner of ["parent", "stubborn"]) {
      const port = freePort();
      let pids: number[] = [];
      {
        await using servers = await Servers.start([specOf(port, commandOf(port, manner))]);
        const { pid } = servers.handles.server!;
        if (manner === "parent") await until(() => descendantsOf(pid).length === 1);
        pids = [pid, ...descendantsOf(pid)];
      }
      assertEquals(pids.filter(isAlive), [], manner);
    }
  });

  Deno.test("a command that ends by itself is told with its status and its last words, without folders", async () => {
    const port = freePort();
    await using servers = await Servers.start([specOf(port)]);
    const ended = endOf(servers);
    const askedMs = Date.now();
    await fetch(`http://127.0.0.1:${port}/end`).catch(() => {/* it ends before it answers */});
    const { server, end, atMs } = await ended;
    assert(askedMs <= atMs && atMs <= Date.now(), `${askedMs} ${atMs}`);
    assertEquals({ server, end }, {
      server: "server",
      end: { code: 7, signal: null, said: ["Cannot open index.html"] },
    });
  });

  Deno.test("a command that is killed is told with the signal", async () => {
    const port = freePort();
    await using servers = await Servers.start([specOf(port)]);
    const ended = endOf(servers);
    sendSignal(servers.handles.server!.pid, "SIGKILL");
    assertEquals((await ended).end, { code: 137, signal: "SIGKILL", said: [] });
  });

  Deno.test("when who keeps it is killed, the command ends all the same", async () => {
    const port = freePort();
    await using servers = await Servers.start([specOf(port, commandOf(port, "stubborn"))]);
    const { pid } = servers.handles.server!;
    const ended = endOf(servers);
    sendSignal(keeperOf(pid), "SIGKILL");
    assertEquals((await ended).end, { code: 137, signal: "SIGKILL", said: [] });
    await allGone([pid]);
  });

  Deno.test("a command that does not come to listen is refused, and nothing of it is left", async () => {
    const port = freePort();
    const before = new Set(descendantsOf(Deno.pid));
    const cases: [spec: Partial<ServerSpec>, message: RegExp][] = [
      [
        { run: commandOf(port, "early") },
        /ended with status 3\nCannot read site\.conf\nIt ended before it listened on port/,
      ],
      [{ run: commandOf(port, "background") }, /went on: it must stay in the foreground itself/],
      [
        { run: commandOf(port, "deaf"), startMs: 300 },
        /^Cannot find the command as it runs, but nothing listens on \S+ after 0\.3 s\nCorrect --server-port/,
      ],
      [
        { run: commandOf(port, "mute"), startMs: 1000 },
        /^Cannot measure the command as it listens on \S+ but answered no request within 2 s\n.*\nIts last words:\nCannot start any worker$/,
      ],
      [
        { run: { program: "deno", args: [], folder: "/nowhere" } },
        /no such folder to start it in\nTry it by hand/,
      ],
    ];
    for (const [spec, message] of cases) {
      // What goes into the background listens, perhaps, before it is seen that the command has ended.
      const start = async () => {
        await using servers = await Servers.start([{ ...specOf(port), ...spec }]);
        throw new Error((await endOf(servers)).end.said.join());
      };
      const { message: said } = await assertRejects(start, Error);
      assertMatch(said, message);
    }
    assertEquals(descendantsOf(Deno.pid).filter((pid) => !before.has(pid) && isAlive(pid)), []);
  });

  Deno.test("nobody waits for a command when the run ends before it listens, and nothing of it is left", async () => {
    const port = freePort();
    const before = new Set(descendantsOf(Deno.pid));
    const fresh = () => descendantsOf(Deno.pid).filter((pid) => !before.has(pid) && isAlive(pid));
    const started = Servers.start([{ ...specOf(port, commandOf(port, "deaf")), startMs: 3_600_000 }], {
      // Who keeps it, and the command.
      givenUp: until(() => fresh().length >= 2),
    });
    await assertRejects(() => started, Error, "The run ended before its servers listened");
    assertEquals(fresh(), []);
  });

  Deno.test("a port that something else listens on is not taken for the command's", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    await assertRejects(
      () => Servers.start([specOf(port)]),
      Error,
      `something listens on 127.0.0.1:${port} already`,
    );
  });

  Deno.test("a command has no more descriptors than it is given", async () => {
    const port = freePort();
    await using _servers = await Servers.start([specOf(port, commandOf(port), ["--fds", "100"])]);
    const opened = Number(await bodyOf(port, "/descriptors"));
    assert(opened > 0, `${opened}`);
    assertLess(opened, 100);
  });
}

/** Who keeps a command: the process above it. */
function keeperOf(pid: number): number {
  return descendantsOf(Deno.pid).find((parent) => descendantsOf(parent).includes(pid))!;
}
