import { assertEquals, assertGreater, assertGreaterOrEqual, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { ServerProcess } from "../lib/testing/mod.ts";
import { openClient } from "../lib/transport/mod.ts";
import { type FlowRecord, FORGETTINGS } from "./middlebox/flow.ts";

const SCRIPT = new URL("./middlebox.ts", import.meta.url);
const HOSTNAME = "127.0.0.1";

/** The time of an idle flow, long enough for what a test does before. */
const IDLE_MS = 600;
const IDLE = `${IDLE_MS}ms`;

/** A middlebox before a listener of the test's own. */
class Chain implements AsyncDisposable {
  readonly middlebox: ServerProcess;
  readonly #listener: Deno.TcpListener;
  readonly #sockets: Deno.TcpConn[] = [];

  private constructor(middlebox: ServerProcess, listener: Deno.TcpListener) {
    this.middlebox = middlebox;
    this.#listener = listener;
  }

  static async start(...flags: string[]): Promise<Chain> {
    const listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
    try {
      const upstream = `${HOSTNAME}:${listener.addr.port}`;
      return new Chain(
        await ServerProcess.start(SCRIPT, { flags: ["--upstream", upstream, ...flags] }),
        listener,
      );
    } catch (error) {
      listener.close();
      throw error;
    }
  }

  /** Opens a flow. @returns its two ends */
  async open(): Promise<{ client: Deno.TcpConn; server: Deno.TcpConn }> {
    const [client, server] = await Promise.all([
      Deno.connect({ hostname: HOSTNAME, port: this.middlebox.port }),
      this.#listener.accept(),
    ]);
    this.#sockets.push(client, server);
    return { client, server };
  }

  /** Waits until the flows are as they should be. */
  until(condition: (flows: FlowRecord[]) => boolean): Promise<FlowRecord[]> {
    return this.middlebox.controlUntil("/flows", condition);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const socket of this.#sockets) {
      try {
        socket.close();
      } catch {
        // The test has closed it.
      }
    }
    await this.middlebox.end();
  }
}

const allForgotten = (flows: FlowRecord[]) => flows.every(({ forgottenMs }) => forgottenMs !== null);

async function say(socket: Deno.TcpConn, text: string): Promise<void> {
  assertEquals(await socket.write(new TextEncoder().encode(text)), text.length);
}

/** What a socket hears next: text, `end`, or the name of an error. */
async function hear(socket: Deno.TcpConn): Promise<string> {
  const buffer = new Uint8Array(64);
  try {
    const size = await socket.read(buffer);
    return size === null ? "end" : new TextDecoder().decode(buffer.subarray(0, size));
  } catch (error) {
    return (error as Error).name;
  }
}

Deno.test("middlebox carries bytes and half-closes, and tells who ended the flow", async () => {
  await using chain = await Chain.start();
  const { client, server } = await chain.open();
  await say(client, "question");
  assertEquals(await hear(server), "question");
  await client.closeWrite();
  assertEquals(await hear(server), "end");
  await say(server, "answer");
  assertEquals(await hear(client), "answer");
  server.close();
  assertEquals(await hear(client), "end");
  const [flow] = await chain.until(([flow]) => flow!.closedBy !== null && flow!.bytesDown > 0);
  const { openedMs, lastMs, ...facts } = flow!;
  assertEquals(facts, {
    clientPort: (client.localAddr as Deno.NetAddr).port,
    upstreamPort: (server.remoteAddr as Deno.NetAddr).port,
    forgottenMs: null,
    closedBy: "client",
    how: "fin",
    bytesUp: "question".length,
    bytesDown: "answer".length,
  });
  assertGreater(lastMs, openedMs);
  await chain.middlebox.controlUntil("/stats", ({ active }) => active === 0);
});

Deno.test("middlebox lets no byte get lost, however slowly they are taken", async () => {
  await using chain = await Chain.start("--idle", IDLE);
  const { client, server } = await chain.open();
  const sent = crypto.getRandomValues(new Uint8Array(60_000));
  const times = 200;
  const sending = (async () => {
    for (let time = 0; time < times; time++) {
      for (let at = 0; at < sent.length;) at += await client.write(sent.subarray(at));
    }
    await client.closeWrite();
  })();
  let received = 0;
  let wrong = 0;
  const receiving = (async () => {
    // What waits to be taken is no idleness, though it waits for longer than the limit.
    await chain.open();
    await chain.until(([, idle]) => typeof idle?.forgottenMs === "number");
    for await (const bytes of server.readable) {
      for (const byte of bytes) if (byte !== sent[received++ % sent.length]) wrong++;
    }
  })();
  await Promise.all([sending, receiving]);
  assertEquals([received, wrong], [sent.length * times, 0]);
});

Deno.test("middlebox forgets no flow whose bytes move", async () => {
  await using chain = await Chain.start("--idle", "1s");
  const { client, server } = await chain.open();
  const idle = await chain.open();
  let forgotten = false;
  while (!forgotten) {
    // Each direction alone counts.
    const [from, to] = Math.random() < 0.5 ? [client, server] : [server, client];
    await say(from, "x");
    assertEquals(await hear(to), "x");
    forgotten = (await chain.until(() => true)).some(({ forgottenMs }) => forgottenMs !== null);
  }
  const [moving, still] = await chain.until(() => true);
  assertEquals([moving!.forgottenMs, still!.clientPort], [
    null,
    (idle.client.localAddr as Deno.NetAddr).port,
  ]);
  assertGreater(moving!.bytesUp + moving!.bytesDown, 0);
});

for (const speaker of ["client", "server"] as const) {
  Deno.test(`middlebox that forgets with reset answers the ${speaker} with a reset, and tells the other nothing`, async () => {
    await using chain = await Chain.start("--idle", IDLE, "--forget", "reset");
    const ends = await chain.open();
    const listener = speaker === "client" ? "server" : "client";
    await say(ends.client, "x");
    assertEquals(await hear(ends.server), "x");
    const [before] = await chain.until(allForgotten);
    assertEquals([before!.closedBy, before!.how], ["middlebox", "none"]);
    let heard = false;
    const hearing = hear(ends[listener]).finally(() => heard = true);
    // A single byte is enough.
    await say(ends[speaker], "y");
    assertEquals(await hear(ends[speaker]), "ConnectionReset");
    const [flow] = await chain.until(([flow]) => flow!.how === "reset");
    assertEquals([flow!.closedBy, flow!.bytesUp, flow!.bytesDown], ["middlebox", 1, 0]);
    assertEquals(heard, false);
    await say(ends[listener], "z");
    assertEquals(await hearing, "ConnectionReset");
    await chain.middlebox.controlUntil("/stats", ({ active }) => active === 0);
  });
}

Deno.test("middlebox that forgets with reset answers an end with a reset too", async () => {
  await using chain = await Chain.start("--idle", IDLE, "--forget", "reset");
  const { client, server } = await chain.open();
  await chain.until(allForgotten);
  await server.closeWrite();
  assertEquals(await hear(server), "ConnectionReset");
  await say(client, "x");
  assertEquals(await hear(client), "ConnectionReset");
});

Deno.test("middlebox that forgets in silence swallows everything and answers nothing", async () => {
  await using chain = await Chain.start("--idle", IDLE, "--forget", "silent");
  const { client, server } = await chain.open();
  await say(client, "x");
  assertEquals(await hear(server), "x");
  await chain.until(allForgotten);
  let heard = 0;
  const hearing = [client, server].map((socket) => hear(socket).finally(() => heard++));
  await say(client, "a".repeat(60));
  await say(server, "b".repeat(60));
  await client.closeWrite();
  // A flow that is opened, used and forgotten after it: there was time for an answer.
  const later = await chain.open();
  await say(later.server, "y");
  assertEquals(await hear(later.client), "y");
  const [flow] = await chain.until(allForgotten);
  const { closedBy, how, bytesUp, bytesDown } = flow!;
  assertEquals([closedBy, how, bytesUp, bytesDown, heard], ["middlebox", "none", 1, 0, 0]);
  await chain.middlebox.end();
  await Promise.all(hearing);
});

Deno.test("middlebox that forgets with fin ends both sides in order", async () => {
  await using chain = await Chain.start("--idle", IDLE, "--forget", "fin");
  const { client, server } = await chain.open();
  await say(client, "x");
  assertEquals(await hear(server), "x");
  assertEquals([await hear(client), await hear(server)], ["end", "end"]);
  const [flow] = await chain.until(allForgotten);
  const { closedBy, how, openedMs, lastMs, forgottenMs } = flow!;
  assertEquals([closedBy, how], ["middlebox", "fin"]);
  assertGreater(lastMs, openedMs);
  assertGreaterOrEqual(forgottenMs! - lastMs, IDLE_MS);
});

for (const resetter of ["client", "server"] as const) {
  Deno.test(`middlebox passes a reset of the ${resetter} on, and says whose it was`, async () => {
    // Sockets of Deno cannot send a reset alone.
    const server = createServer();
    server.listen(0, HOSTNAME);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using middlebox = await ServerProcess.start(SCRIPT, {
      flags: ["--upstream", `${HOSTNAME}:${port}`],
    });
    const client = connect({ host: HOSTNAME, port: middlebox.port });
    const [peer] = await once(server, "connection") as [Socket];
    client.write("x");
    await once(peer, "data");
    const [sender, hearer] = resetter === "client" ? [client, peer] : [peer, client];
    sender.resetAndDestroy();
    const [error] = await once(hearer, "error");
    assertEquals(error.code, "ECONNRESET");
    const [flow] = await middlebox.controlUntil("/flows", ([flow]) => flow.closedBy !== null);
    assertEquals([flow.closedBy, flow.how, flow.forgottenMs], [resetter, "reset", null]);
    await middlebox.controlUntil("/stats", ({ active }) => active === 0);
    server.close();
    await once(server, "close");
  });
}

Deno.test("middlebox resets a client whose server refuses", async () => {
  const listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
  const { port } = listener.addr;
  listener.close();
  await using middlebox = await ServerProcess.start(SCRIPT, { flags: ["--upstream", `${HOSTNAME}:${port}`] });
  using client = openClient("raw/new", { hostname: HOSTNAME, port: middlebox.port });
  // It may come before the runtime has the connection, and while the request is sent or its answer awaited.
  const { failure } = await client.request();
  assertEquals(failure?.kind, "reset");
  const [flow] = await middlebox.controlUntil("/flows", ([flow]) => flow.closedBy !== null);
  assertEquals([flow.closedBy, flow.how, flow.upstreamPort], ["server", "reset", null]);
});

Deno.test("middlebox says what it needs, and ends with the status that tells why", async () => {
  for (
    const [flags, code, words] of [
      [[], 2, "--upstream is missing: write --upstream HOST:PORT"],
      [["--upstream", "127.0.0.1"], 2, "--upstream must be HOST:PORT"],
      [["--upstream", "127.0.0.1:1", "--idle", "2,5"], 2, "with a point for decimals (2.5"],
      [["--upstream", "127.0.0.1:1", "--forget", "rst"], 2, "--forget must be reset, silent or fin"],
      [["--upstream", "192.0.2.1:80"], 3, "Cannot connect to 192.0.2.1 as the right to is missing"],
      [["--upstream", "127.0.0.1:1", "--hostname", "127.0.0.2"], 3, "Cannot listen on 127.0.0.2"],
    ] as const
  ) {
    const end = await ServerProcess.run(SCRIPT, flags);
    assertEquals([end.code, end.output], [code, ""], flags.join(" "));
    assertStringIncludes(end.complaints, words);
  }
  const help = await ServerProcess.run(SCRIPT, ["--help"]);
  assertEquals([help.code, help.complaints], [0, ""]);
  for (const name of ["--upstream", "--idle", "/flows", ...FORGETTINGS]) {
    assertStringIncludes(help.output, name);
  }
});
