import { assertEquals, assertGreater, assertGreaterOrEqual, assertStringIncludes } from "@std/assert";
import { connect } from "node:net";
import { ServerProcess } from "../lib/testing/mod.ts";
import { BEHAVIOURS } from "./faulty/behaviours.ts";
import type { LoggedConnection, LoggedRequest } from "./faulty/log.ts";

const SCRIPT = new URL("./faulty.ts", import.meta.url);
const HOSTNAME = "127.0.0.1";
const BODY = "faulty\n";
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

function start(behaviour: string, ...flags: string[]): Promise<ServerProcess> {
  return ServerProcess.start(SCRIPT, { flags: ["--behaviour", behaviour, ...flags] });
}

/** A bare connection, which hears every byte. */
class Client implements Disposable {
  readonly #socket: Deno.TcpConn;

  private constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
  }

  static async open({ port }: { readonly port: number }): Promise<Client> {
    return new Client(await Deno.connect({ hostname: HOSTNAME, port }));
  }

  get port(): number {
    return this.#socket.localAddr.port;
  }

  async ask(path = "/", method = "GET"): Promise<void> {
    const bytes = new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    assertEquals(await this.#socket.write(bytes), bytes.length);
  }

  /** What comes until there are so many characters, or until the end: `…|end`, `…|ConnectionReset`. */
  async hear(length = Infinity): Promise<string> {
    const buffer = new Uint8Array(4096);
    let heard = "";
    try {
      while (heard.length < length) {
        const size = await this.#socket.read(buffer);
        if (size === null) return `${heard}|end`;
        heard += new TextDecoder().decode(buffer.subarray(0, size));
      }
    } catch (error) {
      return `${heard}|${(error as Error).name}`;
    }
    return heard;
  }

  /** Asks, and hears an answer of the usual length. */
  async askAndHear(path?: string): Promise<string> {
    await this.ask(path);
    return await this.hear(ANSWER.length);
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

interface Listed {
  readonly connections: readonly LoggedConnection[];
  readonly requests: readonly LoggedRequest[];
}

/** What became of each connection and each request, when every connection has ended. */
async function ended(server: ServerProcess): Promise<{ connections: string[]; requests: string[] }> {
  const { connections, requests }: Listed = await server.controlUntil(
    "/log",
    ({ connections }: Listed) => connections.every(({ endedMs }) => endedMs !== null),
  );
  return {
    connections: connections.map(({ requests, endedBy, how }) => `${requests} ${endedBy} ${how}`),
    requests: requests.map(({ method, path, connection, did }) => `${method} ${path} ${connection} ${did}`),
  };
}

for (const [end, heard] of [["fin", "|end"], ["reset", "|ConnectionReset"]] as const) {
  Deno.test(`faulty closes-after ends a connection with ${end} after its responses`, async () => {
    await using server = await start("closes-after", "--responses", "2", "--end", end);
    using client = await Client.open(server);
    assertEquals(await client.askAndHear("/a"), ANSWER);
    await client.ask("/b");
    assertEquals(await client.hear(), ANSWER + heard);
    assertEquals(await ended(server), {
      connections: [`2 server ${end}`],
      requests: ["GET /a 1 answered", "GET /b 1 answered"],
    });
  });

  Deno.test(`faulty reads-and-closes reads a request and answers it with ${end} alone`, async () => {
    await using server = await start("reads-and-closes", "--end", end);
    using client = await Client.open(server);
    await client.ask("/a", "POST");
    assertEquals(await client.hear(), heard);
    assertEquals(await ended(server), {
      connections: [`1 server ${end}`],
      requests: [`POST /a 1 ${end === "fin" ? "ended" : "reset"}`],
    });
  });
}

Deno.test("faulty reads-and-closes answers as many requests before as it is told", async () => {
  await using server = await start("reads-and-closes", "--responses", "1");
  using client = await Client.open(server);
  assertEquals(await client.askAndHear(), ANSWER);
  await client.ask();
  assertEquals(await client.hear(), "|end");
});

Deno.test("faulty answers-late answers after its time, to each connection apart", async () => {
  await using server = await start("answers-late", "--delay", "100ms");
  using first = await Client.open(server);
  using second = await Client.open(server);
  const startMs = performance.now();
  await Promise.all([first.ask("/a"), second.ask("/b")]);
  assertEquals([await first.hear(ANSWER.length), await second.hear(ANSWER.length)], [ANSWER, ANSWER]);
  // A bound from below: no machine is so slow that it would break it.
  assertGreaterOrEqual(performance.now() - startMs, 100);
});

Deno.test("faulty answers-late notes no answer to a client that reset its connection", async () => {
  await using server = await start("answers-late", "--delay", "50ms");
  const leaving = connect({ host: HOSTNAME, port: server.port });
  leaving.write("GET / HTTP/1.1\r\n\r\n");
  await server.controlUntil("/stats", ({ requests }) => requests === 1);
  leaving.resetAndDestroy();
  using client = await Client.open(server);
  assertEquals(await client.askAndHear(), ANSWER);
  const { connections, requests }: Listed = await server.control("/log");
  assertEquals(requests.map(({ did }) => did), [null, "answered"]);
  assertEquals([connections[0]!.endedBy, connections[0]!.how], ["client", "reset"]);
});

Deno.test("faulty accepts-late leaves connections in the accept queue, and answers them in the end", async () => {
  await using server = await start("accepts-late", "--delay", "1s", "--backlog", "0");
  using first = await Client.open(server);
  assertEquals(await first.askAndHear(), ANSWER);
  // The system says that it stands, and takes the request, before the server knows of it.
  using second = await Client.open(server);
  await second.ask("/waits");
  const { accepted, requests } = await server.control("/stats");
  assertEquals([accepted, requests], [1, 1]);
  assertEquals(await second.hear(ANSWER.length), ANSWER);
  const { connections }: Listed = await server.control("/log");
  assertGreaterOrEqual(connections[1]!.atMs - connections[0]!.atMs, 999);
});

Deno.test("faulty splits-with-nagle sends head and body apart", async () => {
  await using server = await start("splits-with-nagle");
  using client = await Client.open(server);
  let apart = 0;
  for (let request = 0; request < 10; request++) {
    await client.ask();
    const head = await client.hear(1);
    const rest = head.length < ANSWER.length ? await client.hear(ANSWER.length - head.length) : "";
    assertEquals(head + rest, ANSWER);
    if (rest === BODY) apart++;
  }
  // A client that is late finds both, and the first answer may come before Nagle has anything to wait for.
  assertGreater(apart, 4);
});

Deno.test("faulty advertises-keep-alive states one time and ends the connection after another", async () => {
  await using server = await start("advertises-keep-alive", "--advertise", "30s", "--keep", "100ms");
  using client = await Client.open(server);
  await client.ask();
  assertEquals(await client.hear(), ANSWER.replace("\r\n", "\r\nkeep-alive: timeout=30\r\n") + "|end");
  const { connections, requests }: Listed = await server.control("/log");
  assertEquals([connections[0]!.endedBy, connections[0]!.how], ["server", "fin"]);
  const keptMs = connections[0]!.endedMs! - requests[0]!.atMs;
  assertGreaterOrEqual(keptMs, 99);
});

Deno.test("faulty keeps counts idleness from the last response, and states nothing", async () => {
  await using server = await start("keeps", "--keep", "500ms");
  using client = await Client.open(server);
  using silent = await Client.open(server);
  let answers = 0;
  const gone = silent.hear().then((heard) => {
    assertEquals(heard, "|end");
    return true;
  });
  // The connection that says nothing goes, the one that speaks stays.
  while (!await Promise.race([gone, client.askAndHear().then((heard) => heard !== ANSWER)])) answers++;
  await gone;
  assertGreater(answers, 0);
  const { connections }: Listed = await server.control("/log");
  assertEquals(connections[1]!.endedBy, "server");
});

Deno.test("faulty sends-close announces the end and makes it", async () => {
  await using server = await start("sends-close");
  using client = await Client.open(server);
  await client.ask();
  assertEquals(await client.hear(), ANSWER.replace("\r\n", "\r\nconnection: close\r\n") + "|end");
  assertEquals((await ended(server)).connections, ["1 server fin"]);
});

Deno.test("faulty answers-forever sends a body without an end, until the client leaves", async () => {
  await using server = await start("answers-forever");
  {
    using client = await Client.open(server);
    await client.ask("/a");
    const heard = await client.hear(300);
    assertStringIncludes(
      heard,
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nmore\n\r\n5\r\nmore\n\r\n",
    );
    assertEquals(heard.includes("\r\n0\r\n"), false);
  }
  const { connections, requests } = await ended(server);
  assertEquals([connections[0]!.startsWith("1 client"), requests], [true, ["GET /a 1 answering"]]);
});

Deno.test("faulty never-answers reads and says nothing", async () => {
  await using server = await start("never-answers");
  {
    using client = await Client.open(server);
    let heard = false;
    client.hear().then(() => heard = true, () => {/* the client has closed it */});
    await client.ask("/a");
    await client.ask("/b");
    await server.controlUntil("/stats", ({ requests }) => requests === 2);
    assertEquals(heard, false);
  }
  assertEquals(await ended(server), {
    connections: ["2 client fin"],
    requests: ["GET /a 1 ignored", "GET /b 1 ignored"],
  });
});

Deno.test("faulty garbage speaks first, and no HTTP", async () => {
  await using server = await start("garbage");
  using client = await Client.open(server);
  assertEquals(await client.hear(18), "220 faulty ESMTP\r\n");
});

Deno.test("faulty ends a connection that sends no request", async () => {
  await using server = await start("closes-after");
  using client = await Client.open(server);
  await client.ask("/a b c");
  assertEquals(await client.hear(), "|end");
  assertEquals(await ended(server), { connections: ["0 server fin"], requests: [] });
});

Deno.test("faulty says what it needs, and ends with the status that tells why", async () => {
  for (
    const [flags, words] of [
      [[], "--behaviour is missing: write --behaviour closes-after|"],
      [["--behaviour", "closes"], "--behaviour must be closes-after, reads-and-closes"],
      [["--behaviour", "garbage", "--keep", "5s"], "--keep means nothing to garbage"],
      [["--behaviour", "keeps", "--keep", "2,5"], "with a point for decimals (2.5"],
      [["--behaviour", "advertises-keep-alive", "--advertise", "1500ms"], "must be whole seconds"],
    ] as const
  ) {
    const end = await ServerProcess.run(SCRIPT, flags);
    assertEquals([end.code, end.output], [2, ""], flags.join(" "));
    assertStringIncludes(end.complaints, words);
  }
  const help = await ServerProcess.run(SCRIPT, ["--help"]);
  assertEquals([help.code, help.complaints], [0, ""]);
  for (const [name, { help: line }] of Object.entries(BEHAVIOURS)) {
    assertStringIncludes(help.output, name);
    assertStringIncludes(help.output, line);
  }
});
