import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import type { Socket } from "node:net";
import type { FailureName, Phase } from "../record/mod.ts";
import { respond, serveScript } from "../testing/mod.ts";
import { serveSockets, serveTls, type TlsServer } from "./_tls_server.ts";
import { issueCertificate, type IssuedCertificate } from "./certificates.ts";
import { classify } from "./classify.ts";
import type { ClientOptions, ClientVariant, Exchange } from "./client.ts";
import { openClient } from "./open_client.ts";
import { connectTls, TlsHandshakeError } from "./tls.ts";

const HOSTNAME = "127.0.0.1";
const TLS_VARIANTS = ["raw/new", "raw/shared", "fetch/new", "fetch/shared", "fetch/resumed"] as const;

const issued = await issueCertificate();

/** A few requests in a row of one client. */
async function ask(
  variant: ClientVariant,
  { hostname, port }: { hostname: string; port: number },
  options: ClientOptions,
  requests = 1,
): Promise<Exchange[]> {
  using client = openClient(variant, { hostname, port }, options);
  const made: Exchange[] = [];
  while (made.length < requests) made.push(await client.request());
  return made;
}

Deno.test("connectTls() makes a handshake, and tells what it took and what was agreed on", async () => {
  await using server = await serveTls(issued);
  let nowMs = 0;
  const now = () => nowMs++;
  using connection = await connectTls({ ...server, caCerts: [issued.ca], alpn: ["http/1.1"], now });
  assertEquals([connection.connectMs, connection.tlsMs, connection.protocol], [1, 1, "http/1.1"]);
  await connection.writeAll(
    new TextEncoder().encode("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"),
  );
  let answer = "";
  const buffer = new Uint8Array(10);
  for (let size = await connection.read(buffer); size !== null; size = await connection.read(buffer)) {
    answer += new TextDecoder().decode(buffer.subarray(0, size));
  }
  assert(answer.startsWith("HTTP/1.1 200 OK\r\n") && answer.endsWith("\r\n\r\nhello"), answer);
  connection.close();
  connection.close();
});

Deno.test("connectTls() offers no protocol unless it is told to", async () => {
  await using server = await serveTls(issued);
  using connection = await connectTls({ ...server, caCerts: [issued.ca] });
  assertEquals(connection.protocol, null);
});

Deno.test("connectTls() verifies the certificate for the name that it is told", async () => {
  const named = await issueCertificate({ names: ["lab.test"] });
  await using server = await serveTls(named);
  const options = { ...server, caCerts: [issued.ca, named.ca] };
  using connection = await connectTls({ ...options, serverName: "lab.test" });
  assertEquals(connection.tlsMs !== null, true);
  await assertRejects(() => connectTls({ ...options, serverName: "test" }), TlsHandshakeError);
});

Deno.test("connectTls() gives up in the handshake with the reason of its signal", async () => {
  const controller = new AbortController();
  await using server = await serveSockets((socket) => {
    socket.once("data", () => controller.abort(new DOMException("Too late", "TimeoutError")));
  });
  const error = await assertRejects(() => connectTls({ ...server, signal: controller.signal }));
  assertInstanceOf(error, TlsHandshakeError);
  assertEquals(error.cause, controller.signal.reason);
  assertEquals(classify(error, "connect"), { phase: "tls", kind: "timed-out", side: "unknown" });
  assertEquals(classify(new Error("outer", { cause: error }), "connect").phase, "tls");
});

/** Whether each of three handshakes resumes a session; one a connection. */
const RESUMED: Record<(typeof TLS_VARIANTS)[number], readonly boolean[]> = {
  "raw/new": [false, false, false],
  "raw/shared": [false],
  "fetch/new": [false, false, false],
  "fetch/shared": [false],
  "fetch/resumed": [false, true, true],
};

for (const variant of TLS_VARIANTS) {
  const isRaw = variant.startsWith("raw");

  Deno.test(`${variant} makes requests over TLS, each with the phases that happened`, async () => {
    await using server = await serveTls(issued);
    const made = await ask(variant, server, { tls: { caCerts: [issued.ca] } }, 3);
    assertEquals(made.map(({ failure, status, bodyBytes }) => ({ failure, status, bodyBytes })), [
      { failure: null, status: 200, bodyBytes: 5 },
      { failure: null, status: 200, bodyBytes: 5 },
      { failure: null, status: 200, bodyBytes: 5 },
    ]);
    assertEquals(server.resumed, RESUMED[variant]);
    const fresh = isRaw ? RESUMED[variant].length : 0;
    assertEquals(made.map(({ tlsMs }) => tlsMs !== null), [fresh > 0, fresh > 1, fresh > 2]);
    assertEquals(made.map(({ connectMs }) => connectMs !== null), [fresh > 0, fresh > 1, fresh > 2]);
    assertEquals(new Set(made.map(({ protocol }) => protocol)), new Set([isRaw ? "http/1.1" : null]));
  });
}

/** A server that goes wrong, and as what each client tells it. */
interface Trouble {
  readonly what: string;
  readonly serve: () => Promise<TlsServer>;
  readonly ca?: string;
  readonly phase: Phase;
  readonly kind: FailureName;
}

const withCertificate = (what: string, { ca, ...identity }: IssuedCertificate): Trouble => ({
  what,
  serve: () => serveTls(identity),
  ca,
  phase: "tls",
  kind: "certificate-refused",
});

const onHello = (what: string, kind: FailureName, act: (socket: Socket) => void): Trouble => ({
  what,
  serve: () => serveSockets((socket) => socket.once("data", () => act(socket))),
  phase: "tls",
  kind,
});

const [past, future] = [["2020-01-01", "2020-02-01"], ["2120-01-01", "2120-02-01"]].map((days) => {
  const [notBefore, notAfter] = days.map((day) => new Date(day)) as [Date, Date];
  return { notBefore, notAfter };
}) as [{ notBefore: Date; notAfter: Date }, { notBefore: Date; notAfter: Date }];

const TROUBLES: readonly Trouble[] = [
  withCertificate("a certificate that has expired", await issueCertificate(past)),
  withCertificate("a certificate that is not valid yet", await issueCertificate(future)),
  withCertificate("a certificate for another name", await issueCertificate({ names: ["lab.test"] })),
  withCertificate("a certificate of an unknown issuer", { ...issued, ca: (await issueCertificate()).ca }),
  {
    what: "no protocol in common",
    serve: () => serveTls(issued, ["spdy/3"]),
    phase: "tls",
    kind: "tls-failed",
  },
  onHello("a port that speaks plain HTTP", "tls-failed", (socket) => socket.write("HTTP/1.1 400 \r\n\r\n")),
  onHello("a server that refuses with an alert", "tls-failed", (socket) => {
    // A fatal handshake_failure: RFC 8446 §6.
    socket.write(new Uint8Array([21, 3, 3, 0, 2, 2, 40]));
  }),
  onHello("a server that closes on the hello", "closed-early", (socket) => socket.end()),
  onHello("a server that resets on the hello", "reset", (socket) => socket.resetAndDestroy()),
  {
    what: "a port where nothing listens",
    serve: async () => {
      const server = await serveSockets(() => {});
      await server[Symbol.asyncDispose]();
      return { ...server, [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    phase: "connect",
    kind: "refused",
  },
];

for (const { what, serve, ca = issued.ca, phase, kind } of TROUBLES) {
  for (const variant of ["raw/new", "fetch/new"] as const) {
    Deno.test(`${variant} tells ${what}`, async () => {
      await using server = await serve();
      const [made] = await ask(variant, server, { tls: { caCerts: [ca] } }) as [Exchange];
      assertEquals([made.failure?.phase, made.failure?.kind], [phase, kind], made.error ?? "");
      assertEquals([made.status, made.sendMs, made.receiveMs], [null, null, null]);
      const isRaw = variant === "raw/new";
      assertEquals([made.connectMs !== null, made.tlsMs !== null], [isRaw, isRaw && phase === "tls"]);
    });
  }
}

Deno.test("a handshake that takes too long is told as such", async () => {
  await using server = await serveSockets(() => {});
  const options = { tls: {}, timeoutMs: 100 };
  const [raw] = await ask("raw/new", server, options) as [Exchange];
  assertEquals(raw.failure, { phase: "tls", kind: "timed-out", side: "unknown" });
  const [fetched] = await ask("fetch/new", server, options) as [Exchange];
  assertEquals(fetched.failure, { phase: "wait", kind: "timed-out", side: "unknown" });
});

Deno.test("what speaks plain HTTP to a port with TLS gets no well-formed response", async () => {
  const cert = issued.certificate;
  using listener = Deno.listenTls({ hostname: HOSTNAME, port: 0, key: issued.key, cert });
  const serving = (async () => {
    for await (const socket of listener) {
      await socket.handshake().catch(() => {/* it is none */});
      socket.close();
    }
  })();
  for (const variant of ["raw/new", "fetch/new"] as const) {
    const [made] = await ask(variant, { hostname: HOSTNAME, port: listener.addr.port }, {}) as [Exchange];
    assertEquals(made.failure?.kind, "bad-response", made.error ?? "");
  }
  listener.close();
  await serving.catch(() => {/* it is closed */});
});

Deno.test("fetch speaks the one protocol that it is told to, or none", async () => {
  const hosts: (string | null)[] = [];
  const { ca, key, certificate: cert } = issued;
  await using http2 = Deno.serve({ hostname: HOSTNAME, port: 0, key, cert, onListen() {} }, ({ headers }) => {
    hosts.push(headers.get("host"));
    return new Response("hello");
  });
  const { port } = http2.addr;
  for (const alpn of ["http/1.1", "h2"] as const) {
    const [made] = await ask("fetch/new", { hostname: HOSTNAME, port }, { tls: { caCerts: [ca], alpn } });
    assertEquals(made!.failure, null);
  }
  // HTTP/2 has a pseudo-header in its place: RFC 9113 §8.3.1.
  assertEquals(hosts, [`${HOSTNAME}:${port}`, null]);
  await using http1 = await serveTls(issued);
  const [made] = await ask("fetch/new", http1, { tls: { caCerts: [ca], alpn: "h2" } });
  assertEquals(made!.failure?.kind, "tls-failed");
});

Deno.test("fetch closes a connection that was idle for too long", async () => {
  const left = Promise.withResolvers<void>();
  await using server = serveScript(async (peer) => {
    while (await peer.request()) await peer.say(respond("hello"));
    left.resolve();
  });
  using client = openClient("fetch/shared", server, { idleTimeoutMs: 20 });
  await client.request();
  await left.promise;
  await client.request();
  assertEquals(server.accepted, 2);
});

Deno.test("openClient() refuses what a client cannot do", () => {
  const target = { hostname: HOSTNAME, port: 1 };
  for (
    const [variant, options, message] of [
      ["raw/new", { tls: { alpn: "h2" } }, "raw speaks HTTP/1.1 only: current value of alpn is h2"],
      ["raw/shared", { idleTimeoutMs: 5 }, "raw has no idle timeout"],
      ["fetch/resumed", {}, "fetch/resumed needs tls"],
    ] as const
  ) {
    assertThrows(() => openClient(variant, target, options), TypeError, message);
  }
});
