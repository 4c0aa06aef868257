import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { until } from "../../testing/mod.ts";
import { issueCertificate, type IssuedCertificate, type IssueOptions } from "../../transport/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { measure } from "./measure.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";

/** Short, and yet with patience for an answer of a busy machine. */
const BUDGET_MS = 1600;

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

const VALUES: Omit<Values, "target"> = {
  ...{ allowRemote: "", hostHeader: "", ca: null, budget: BUDGET_MS, connections: 8, serverIdle: 1000 },
  stack: "node",
};

/** How long a probe may take that has to end by itself, in milliseconds: a bound for a broken one. */
const PATIENCE_MS = 9000;

/** A request as a server sees it. */
interface Arrival {
  readonly socket: Socket;
  /** Its bytes. */
  readonly head: string;
  /** Which connection it came on, from 1. */
  readonly connection: number;
  /** How long the connection had been idle. */
  readonly idleMs: number;
}

/** A server that does with a request what a test wants, and counts what comes. */
class Script implements AsyncDisposable {
  readonly heads: string[] = [];
  accepted = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer();

  static async serve(answer: (arrival: Arrival) => void): Promise<Script> {
    const script = new Script();
    script.#server.on("connection", (socket) => {
      const connection = ++script.accepted;
      const beginMs = performance.now();
      script.#sockets.add(socket);
      socket.on("error", () => {/* the probe has left */});
      socket.on("close", () => script.#sockets.delete(socket));
      socket.on("data", (bytes) => {
        const head = bytes.toString();
        script.heads.push(head);
        answer({ socket, head, connection, idleMs: performance.now() - beginMs });
      });
    });
    script.#server.listen(0, "127.0.0.1");
    await once(script.#server, "listening");
    return script;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/some/path?x=1`;
  }

  /** Listens no more, and does something to each connection. */
  stop(end: (socket: Socket) => void): void {
    this.#server.close();
    for (const socket of this.#sockets) end(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening || this.#sockets.size > 0) await closed;
  }
}

type Recorded = RecordingContext<typeof tables>;

async function probe(target: string, values: Partial<Values> = {}): Promise<Recorded> {
  const recorded = new RecordingContext(tables);
  await measure({ ...VALUES, target, ...values }, recorded.context);
  return recorded;
}

/** Probes what must be refused in the end. */
async function rejected(target: string): Promise<{ message: string; recorded: Recorded }> {
  const recorded = new RecordingContext(tables);
  const { message } = await assertRejects(() => measure({ ...VALUES, target }, recorded.context), Error);
  return { message, recorded };
}

/** How many connections of a role came to each outcome. */
function outcomes({ rows }: Recorded, role: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows.connections.filter((row) => row.role === role)) {
    const outcome = [row.outcome, row.closedHow].filter((word) => word !== null).join(" ");
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const CLOSES: readonly [how: string, end: (socket: Socket) => void][] = [
  ["fin", (socket) => socket.end()],
  ["reset", (socket) => socket.resetAndDestroy()],
  ["answer", (socket) => socket.end("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")],
];

for (const [how, end] of CLOSES) {
  Deno.test(`measure() sees that idle connections are closed (${how}), and asks nothing more`, async () => {
    await using server = await Script.serve(({ socket }) => {
      socket.write(OK);
      setTimeout(() => end(socket), 300);
    });
    const recorded = await probe(server.url);
    assertEquals(outcomes(recorded, "asks first"), { [`closed ${how}`]: 4 });
    assertEquals(outcomes(recorded, "fresh"), { answered: 1 });
    assertEquals(recorded.rows.connections.map(({ failureKind }) => failureKind), Array(9).fill(null));
    assert(server.heads.length <= server.accepted);
    const { host } = new URL(server.url);
    assertEquals([...new Set(server.heads)], [`GET /some/path?x=1 HTTP/1.1\r\nhost: ${host}\r\n\r\n`]);
    assertEquals(recorded.warnings, ["loopback"]);
  });
}

Deno.test("measure() closes in on a limit that does not show, with one request a connection", async () => {
  const limitMs = 600;
  const requests = new Map<number, number>();
  await using server = await Script.serve(({ socket, connection, idleMs }) => {
    requests.set(connection, (requests.get(connection) ?? 0) + 1);
    if (idleMs < limitMs) socket.write(OK);
    else socket.resetAndDestroy();
  });
  const recorded = await probe(server.url, { budget: 4000 });
  const waiting = recorded.rows.connections.filter(({ role }) => role === "waits first");
  const times = (outcome: string) =>
    waiting.filter((row) => row.round === 1 && row.outcome === outcome).map(({ idleMs }) => idleMs as number);
  // A bisection: what one round brackets, the next divides.
  const [low, high] = [Math.max(...times("answered")), Math.min(...times("lost"))];
  const next = waiting.filter(({ round }) => round === 2).map(({ pauseMs }) => pauseMs as number);
  assert(
    next.length > 0 && next.every((pauseMs) => low < pauseMs && pauseMs < high),
    `${low} ${next} ${high}`,
  );
  // Every loss is held against a fresh connection, and so is the whole at its end.
  const losses = waiting.filter(({ outcome }) => outcome === "lost").length;
  assertEquals(outcomes(recorded, "fresh"), { answered: losses + 1 });
  assertEquals(outcomes(recorded, "asks first"), { open: 4 });
  assertEquals(new Set(requests.values()), new Set([1]));
});

Deno.test("measure() tells a server that answers nobody any more from one that forgets idle connections", async () => {
  await using server = await Script.serve(({ socket, connection }) => {
    if (connection <= 4) socket.write(OK);
  });
  const { message, recorded } = await rejected(server.url);
  assertMatch(message, /^Cannot tell the idle limit of .* gives no answer \(timed-out\)/);
  assertEquals(Object.keys(outcomes(recorded, "fresh")), ["failed"]);
  assertEquals(outcomes(recorded, "waits first").lost, undefined);
});

const DEATHS: readonly [how: string, die: (server: Script) => void][] = [
  ["dies", (server) => server.stop((socket) => socket.resetAndDestroy())],
  ["shuts down", (server) => server.stop((socket) => socket.end())],
  ["takes no more connections, and keeps those that it has", (server) => server.stop(() => {})],
];

for (const [how, die] of DEATHS) {
  Deno.test(`measure() books no idle limit to a server that ${how} during the probe`, async () => {
    await using server = await Script.serve(({ socket, connection }) => {
      socket.write(OK);
      if (connection === 4) setTimeout(() => die(server), 100);
    });
    const { message, recorded } = await rejected(server.url);
    assertMatch(
      message,
      /^Cannot tell the idle limit of .* as the server answers no more.*takes no connection \(refused\): /,
    );
    assertEquals(recorded.rows.connections.at(-1)!.outcome, "failed");
  });
}

Deno.test("measure() ends within its budget when a server never closes", async () => {
  await using server = await Script.serve(({ socket }) => void socket.write(OK));
  const start = performance.now();
  const recorded = await probe(server.url);
  assert(performance.now() - start < PATIENCE_MS);
  assertEquals(outcomes(recorded, "asks first"), { open: 4 });
  assertEquals(outcomes(recorded, "waits first"), { answered: 4 });
});

Deno.test("measure() waits for no limit where every answer announces the close", async () => {
  await using server = await Script.serve(({ socket }) =>
    void socket.end(OK.replace("\r\n", "\r\nconnection: close\r\n"))
  );
  const recorded = await probe(server.url, { budget: 3_600_000 });
  assertEquals(outcomes(recorded, "asks first"), { "closed fin": 4 });
  assertEquals(recorded.rows.connections.map(({ announcedClose }) => announcedClose), Array(5).fill(true));
});

Deno.test("measure() records what is advertised, and sends the Host field that it is given", async () => {
  await using server = await Script.serve(({ socket }) =>
    void socket.end(OK.replace("\r\n", "\r\nKeep-Alive: timeout=7\r\n"))
  );
  const recorded = await probe(server.url, { hostHeader: "example.test" });
  assertEquals(recorded.rows.connections.map(({ advertisedMs }) => advertisedMs).slice(0, 4), [
    ...[7000, 7000, 7000, 7000],
  ]);
  assertMatch(server.heads[0]!, /\r\nhost: example\.test\r\n/);
});

Deno.test("measure() goes on with the connections that are answered, and says how many are not", async () => {
  await using server = await Script.serve(({ socket, connection }) => {
    if (connection === 1) return socket.destroy();
    socket.write(OK.replace("200 OK", "404 Not Found"));
    setTimeout(() => socket.end(), 100);
  });
  const recorded = await probe(server.url);
  assertEquals(outcomes(recorded, "asks first"), { "closed fin": 3, failed: 1 });
  assertEquals(recorded.warnings, ["loopback", "some-unanswered", "target-status"]);
});

const SICK: readonly [what: string, message: RegExp, answer: (arrival: Arrival) => void][] = [
  ["resets", /gives no answer \(reset\): .*reset/i, ({ socket }) => socket.resetAndDestroy()],
  ["closes without an answer", /gives no answer \(closed-early\)/, ({ socket }) => void socket.end()],
  ["never answers", /gives no answer \(timed-out\): No whole answer within \d+ ms/, () => {}],
  [
    "answers forever",
    /gives no answer \(timed-out\): No whole answer within \d+ ms\. Name a URL whose answer ends/,
    ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const more = setInterval(() => socket.write("1\r\nx\r\n"), 5);
      socket.once("close", () => clearInterval(more));
    },
  ],
  [
    "speaks another protocol",
    /gives no answer \(bad-response\)/,
    ({ socket }) => void socket.write("220 mail\r\n"),
  ],
];

for (const [what, message, answer] of SICK) {
  Deno.test(`measure() says within its budget that a target ${what}, and keeps the rows`, async () => {
    await using server = await Script.serve(answer);
    const recorded = new RecordingContext(tables);
    const start = performance.now();
    const error = await assertRejects(
      () => measure({ ...VALUES, target: server.url }, recorded.context),
      Error,
    );
    assertMatch(error.message, new RegExp(`^Cannot probe ${server.url.replace("?", "\\?")} as it `));
    assertMatch(error.message, message);
    assert(performance.now() - start < PATIENCE_MS);
    assertEquals(outcomes(recorded, "asks first"), { failed: 4 });
  });
}

Deno.test("measure() says that a target takes no connection, with the remedy", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  await assertRejects(
    () => probe(`http://127.0.0.1:${port}/`),
    Error,
    `Cannot probe http://127.0.0.1:${port}/ as it takes no connection (refused): `,
  );
});

/** A TLS server that answers once on every connection and then closes it. */
function serveTls({ key, certificate }: IssuedCertificate): { url: string } & Disposable {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, key, cert: certificate });
  const serve = async (socket: Deno.TlsConn) => {
    try {
      await socket.read(new Uint8Array(4096));
      await socket.write(new TextEncoder().encode(OK));

      await socket.closeWrite();
      while (await socket.read(new Uint8Array(4096)) !== null);
    } catch {
      // The probe refused the certificate, or does not speak TLS.
    }
    socket.close();
  };
  const serving = (async () => {
    for await (const socket of listener) serve(socket);
  })();
  return {
    url: `https://127.0.0.1:${listener.addr.port}/`,
    [Symbol.dispose]() {
      listener.close();
      serving.catch(() => {/* it was waiting for the next */});
    },
  };
}

Deno.test("measure() probes over TLS with an authority of one's own, and times the handshake apart", async () => {
  const made = await issueCertificate();
  using server = serveTls(made);
  const recorded = await probe(server.url, { ca: made.ca });
  assertEquals(outcomes(recorded, "asks first"), { "closed fin": 4 });
  const asking = recorded.rows.connections.filter(({ role }) => role === "asks first");
  assertEquals(asking.map(({ tlsMs }) => typeof tlsMs), Array(4).fill("number"));
});

const YEAR_MS = 365 * 86_400_000;

const UNTRUSTED: readonly [what: string, options: IssueOptions, trusted: boolean, words: RegExp][] = [
  [
    "has expired",
    { notBefore: new Date(Date.now() - 2 * YEAR_MS), notAfter: new Date(Date.now() - YEAR_MS) },
    true,
    /expired/i,
  ],
  ["is for another name", { names: ["example.test"] }, true, /name/i],
  ["nobody vouches for", {}, false, /issuer/i],
];

for (const [what, options, trusted, words] of UNTRUSTED) {
  Deno.test(`measure() refuses a certificate that ${what}, and says so`, async () => {
    const made = await issueCertificate(options);
    using server = serveTls(made);
    const error = await assertRejects(() => probe(server.url, { ca: trusted ? made.ca : null }), Error);
    assertMatch(error.message, /^Cannot probe https:.* as the TLS handshake fails \(certificate-refused\): /);
    assertMatch(error.message, words);
  });
}

Deno.test("measure() tells TLS that is spoken to a plain port, and the reverse", async () => {
  await using plain = await Script.serve(({ socket }) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const error = await assertRejects(() => probe(plain.url.replace("http:", "https:")), Error);
  assertMatch(error.message, /as the TLS handshake fails \(tls-failed\): .*Check that the port speaks TLS/);
  // It waits for the end of a request, as it takes the handshake for the beginning of one.
  await using waiting = await Script.serve(() => {});
  const late = await assertRejects(() => probe(waiting.url.replace("http:", "https:")), Error);
  assertMatch(
    late.message,
    /the TLS handshake fails \(timed-out\): No end of the TLS handshake within \d+ ms\. Check that the port speaks TLS/,
  );
  using secured = serveTls(await issueCertificate());
  const reverse = await assertRejects(() => probe(secured.url.replace("https:", "http:")), Error);
  assertMatch(reverse.message, /as it gives no answer \((bad-response|closed-early|reset)\): /);
});

Deno.test("measure() keeps what it saw when it is interrupted, and calls nothing a failure", async () => {
  await using server = await Script.serve(({ socket }) => void socket.write(OK));
  const recorded = new RecordingContext(tables);
  const measuring = measure({ ...VALUES, budget: 3_600_000, target: server.url }, recorded.context);
  await until(() => server.accepted === 8);
  recorded.abort.abort();
  await measuring;
  assertEquals(outcomes(recorded, "asks first"), { open: 4 });
  assertEquals(recorded.rows.connections.filter(({ outcome }) => outcome !== "open"), []);
});
