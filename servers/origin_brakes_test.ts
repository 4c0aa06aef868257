import { assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { acceptQueues, isAlive, libcPath } from "../lib/system/mod.ts";
import { ServerProcess, until } from "../lib/testing/mod.ts";
import { type Connection, connectTcp } from "../lib/transport/mod.ts";
import { STACKS } from "./origin/counters.ts";
import type { Stats } from "./origin/stats.ts";

const SCRIPT = new URL("./origin.ts", import.meta.url);
const HOSTNAME = "127.0.0.1";
const LAB = new URL("../", import.meta.url).pathname;
const THREADS = [`--allow-read=${LAB}`, "--unstable-net"];
const LIBC = `--allow-ffi=${libcPath()}`;

const encoder = new TextEncoder();
const send = (connection: Connection, text: string) => connection.writeAll(encoder.encode(text));

/** An origin whose brakes are tried at its further port, while its first one is asked how it fares. */
function start(flags: readonly string[], rights: readonly string[] = []): Promise<ServerProcess> {
  return ServerProcess.start(SCRIPT, { flags: ["--ports", "1", ...flags], rights });
}

const loaded = ({ announcement: { ports: [port] } }: ServerProcess) => ({ hostname: HOSTNAME, port: port! });

async function stats(origin: ServerProcess): Promise<Stats> {
  const response = await fetch(`http://${HOSTNAME}:${origin.port}/stats?port=${loaded(origin).port}`);
  return await response.json();
}

/** Everything that a connection receives until it ends, and how it ends. */
async function received(connection: Connection): Promise<{ text: string; end: "closed" | "reset" }> {
  const buffer = new Uint8Array(4096);
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let size; (size = await connection.read(buffer)) !== null;) {
      text += decoder.decode(buffer.subarray(0, size));
    }
    return { text, end: "closed" };
  } catch {
    return { text, end: "reset" };
  }
}

Deno.test("origin ends headers that do not end in time, bytes or none; without a timeout it keeps them", async () => {
  await using strict = await start(["--stack", "node", "--header-timeout", "1s"]);
  await using lenient = await start(["--stack", "node"]);
  const connections = await Promise.all(
    [strict, strict, strict, lenient].map((origin) => connectTcp(loaded(origin))),
  );
  const [silent, half, dripping, kept] = connections as [Connection, Connection, Connection, Connection];
  try {
    for (const connection of [half, dripping, kept]) {
      await send(connection, "GET / HTTP/1.1\r\nhost: a\r\nx: ");
    }
    const dripped = received(dripping);
    // Were the deadline moved by a byte, this would go on for ever.
    const refused = until(async () => await send(dripping, "a").then(() => false, () => true));
    for (const connection of [silent, half]) {
      assertEquals(await received(connection), {
        text: "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n",
        end: "closed",
      });
    }
    assertStringIncludes((await dripped).text, "HTTP/1.1 408 Request Timeout");
    await refused;
    const { accepted, requests, brakes } = await until(async () => {
      const counted = await stats(strict);
      return counted.active === 0 && counted;
    });
    assertEquals([accepted, requests], [3, 0]);
    assertEquals([brakes.headerTimeoutMs, brakes.checkingIntervalMs], [1000, 100]);
    assertEquals((await stats(lenient)).active, 1);
  } finally {
    for (const connection of connections) connection.close();
  }
});

Deno.test("origin ends requests that do not come in time, and waits for its own answers", async () => {
  await using origin = await start(["--stack", "node", "--request-timeout", "500ms"]);
  using unfinished = await connectTcp(loaded(origin));
  using waiting = await connectTcp(loaded(origin));
  await send(waiting, "GET /sleep?ms=1200 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  await send(unfinished, "POST /sleep?ms=3600000 HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc");
  assertStringIncludes((await received(unfinished)).text, "HTTP/1.1 408 Request Timeout");
  assertStringIncludes((await received(waiting)).text, '{"sleptMs":1200}');
});

Deno.test("origin closes connections beyond its limit at once, and counts them", async () => {
  await using origin = await start(["--stack", "node", "--max-connections", "2"]);
  const held = [await connectTcp(loaded(origin)), await connectTcp(loaded(origin))];
  try {
    await until(async () => (await stats(origin)).active === 2);
    using silent = await connectTcp(loaded(origin));
    assertEquals(await received(silent), { text: "", end: "closed" });
    using asking = await connectTcp(loaded(origin));
    await send(asking, "GET /static HTTP/1.1\r\nhost: a\r\n\r\n");
    assertEquals((await received(asking)).text, "");
    const { accepted, active, refused, requests } = await stats(origin);
    assertEquals({ accepted, active, refused, requests }, {
      accepted: 2,
      active: 2,
      refused: 2,
      requests: 0,
    });
    held[0]!.close();
    await until(async () => (await stats(origin)).active === 1);
    using late = await connectTcp(loaded(origin));
    await send(late, "GET /static?bytes=3 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    assertStringIncludes((await received(late)).text, "\r\n\r\nxxx");
  } finally {
    for (const connection of held) connection.close();
  }
});

for (const stack of STACKS) {
  Deno.test(`origin on ${stack} serves with several workers, and counts for all of them`, async () => {
    await using origin = await start(["--stack", stack, "--server-workers", "2"], THREADS);
    const connections: Connection[] = [];
    try {
      // That the system gives all of them to one worker happens once in 2 ** 39 times.
      for (let index = 0; index < 40; index++) connections.push(await connectTcp(loaded(origin)));
      for (const connection of connections) {
        await send(connection, "GET /sleep?ms=3600000 HTTP/1.1\r\nhost: a\r\n\r\n");
      }
      const counted = await until(async () => {
        const counted = await stats(origin);
        return counted.inFlight === 40 && counted;
      });
      const seen = stack === "node" ? 40 : null;
      assertEquals([counted.requests, counted.accepted, counted.active], [40, seen, seen]);
      const shares = counted.workers.map(({ inFlight }) => inFlight);
      assertEquals([shares.length, shares.includes(0)], [2, false]);
      for (const path of ["/conn", "/visit?id=1", "/visits"]) {
        const response = await fetch(`http://${HOSTNAME}:${origin.port}${path}`);
        assertEquals(response.status, 400);
        assertStringIncludes(await response.text(), "each of several workers counts connections of its own");
      }
    } finally {
      for (const connection of connections) connection.close();
    }
    await until(async () => (await stats(origin)).inFlight === 0);
  });

  Deno.test(`origin on ${stack} with several workers shares a port with nobody else`, async () => {
    using taken = Deno.listen({ hostname: HOSTNAME, port: 0 });
    const flags = ["--stack", stack, "--server-workers", "2", "--port", `${taken.addr.port}`];
    const error = await start(flags, THREADS).then(() => null, (error: Error) => error.message);
    assertStringIncludes(error!, `Cannot listen on ${HOSTNAME}:${taken.addr.port}`);
  });

  Deno.test({
    name: `origin on ${stack} lets as many connections wait as it is told`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using origin = await start(["--stack", stack, "--backlog", "7"]);
      assertEquals(acceptQueues(loaded(origin).port).map(({ limit }) => limit), [7]);
      assertEquals((await stats(origin)).brakes.backlog, 7);
    },
  });
}

const DESCRIPTORS = 64;

Deno.test({
  name: "origin on deno ends when it has no descriptor left, and says so",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using origin = await start(["--fds", `${DESCRIPTORS}`], [LIBC]);
    const connections: Connection[] = [];
    try {
      for (let index = 0; index < DESCRIPTORS; index++) connections.push(await connectTcp(loaded(origin)));
    } catch {
      // It ended before the last of them.
    }
    for (const connection of connections) connection.close();
    await until(() => !isAlive(origin.announcement.pid));
    const { code, complaints } = await origin.end();
    assertEquals(code, 1);
    assertStringIncludes(complaints, "Too many open files");
  },
});

Deno.test({
  name: "origin on node accepts no more when it has no descriptor left, and serves those that it has",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using origin = await start(["--stack", "node", "--fds", `${DESCRIPTORS}`], [LIBC]);
    const { accepted, brakes } = await stats(origin);
    assertEquals([accepted, brakes.descriptors], [0, DESCRIPTORS]);
    const connections: Connection[] = [];
    try {
      for (let index = 0; index < DESCRIPTORS; index++) connections.push(await connectTcp(loaded(origin)));
      // The kernel counts those that wait; the server told of its memory until it had no descriptor for that.
      const deaf = await until(async () => {
        const counted = await stats(origin);
        const [queue] = acceptQueues(loaded(origin).port);
        return counted.accepted! + queue!.waiting === DESCRIPTORS && queue!.waiting > 0 && counted;
      });
      assertEquals([deaf.accepted, deaf.memory.rssBytes], [deaf.active, null]);
      assertGreater(DESCRIPTORS, deaf.accepted!);
    } finally {
      for (const connection of connections) connection.close();
    }
  },
});

Deno.test("origin says which right it lacks for several workers, and for a limit of descriptors", async () => {
  for (
    const [flags, words] of [
      [
        ["--server-workers", "2"],
        "as the right to read the files of the lab is missing\nStart it with --allow-read",
      ],
      [["--fds", "100"], "Leave out --fds, or start it with --allow-ffi of the C library"],
    ] as const
  ) {
    const { code, output, complaints } = await ServerProcess.run(SCRIPT, flags);
    assertEquals([code, output], [3, ""]);
    assertStringIncludes(complaints, words);
  }
});
