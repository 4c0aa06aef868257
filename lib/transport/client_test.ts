import {
  assertEquals,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { answering, type Peer, respond, serveScript } from "../testing/mod.ts";
import { CLIENT_VARIANTS, type ClientVariant, type Exchange } from "./client.ts";
import { openClient } from "./open_client.ts";

const TIMES = ["clientMs", "dnsMs", "connectMs", "tlsMs", "sendMs", "waitMs", "receiveMs"] as const;

/** Which phases have a time. */
function phases(made: Exchange): string {
  return TIMES.filter((name) => made[name] !== null).map((name) => name.slice(0, -2)).join(" ");
}

/** A free port where nothing listens. */
function closedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Never answers: waits until the client has left. */
const silent = async (peer: Peer) => {
  await peer.request();
  await peer.gone();
};

/** What each client does over three requests in a row. */
const EXPECTED: Record<(typeof CLIENT_VARIANTS)[number], { accepted: number; first: string; later: string }> =
  {
    "raw/new": { accepted: 3, first: "connect send wait receive", later: "connect send wait receive" },
    "raw/shared": { accepted: 1, first: "connect send wait receive", later: "send wait receive" },
    "fetch/new": { accepted: 3, first: "client wait receive", later: "client wait receive" },
    "fetch/shared": { accepted: 1, first: "client wait receive", later: "wait receive" },
  };

for (const variant of CLIENT_VARIANTS) {
  const isRaw = variant.startsWith("raw");

  Deno.test(`${variant} makes requests, each with the phases that happened`, async () => {
    await using server = serveScript(answering(respond("hello")));
    using client = openClient(variant, server, { path: "/static" });
    assertEquals(client.variant, variant);
    const made = [await client.request(), await client.request(), await client.request()];
    const { accepted, first, later } = EXPECTED[variant];
    assertEquals(server.accepted, accepted);
    assertEquals(made.map(phases), [first, later, later]);
    assertEquals(client.connections, isRaw ? accepted : null);
    const ordinals = accepted === 3 ? [1, 2, 3] : [1, 1, 1];
    assertEquals(made.map(({ connection }) => connection), isRaw ? ordinals : [null, null, null]);
    assertEquals(new Set(made.map(({ localPort }) => localPort)).size, isRaw ? accepted : 1);
    for (const exchange of made) {
      const { status, bodyBytes, serverCloses, failure, error, startMs, elapsedMs } = exchange;
      assertEquals({ status, bodyBytes, serverCloses, failure, error }, {
        status: 200,
        bodyBytes: 5,
        serverCloses: false,
        failure: null,
        error: null,
      });
      const sum = TIMES.reduce((total, name) => total + (exchange[name] ?? 0), 0);
      assertLessOrEqual(sum, elapsedMs + 1e-6);
      assertLessOrEqual(startMs + elapsedMs, performance.now());
    }
    assertEquals(server.heads.every((head) => head.startsWith("GET /static HTTP/1.1\r\n")), true);
  });

  Deno.test(`${variant} sends the method and the path that a request names`, async () => {
    await using server = serveScript(async (peer) => {
      while (await peer.request()) {
        await peer.say(
          server.heads.at(-1)!.startsWith("HEAD") ? respond("").replace(": 0", ": 5") : respond("ok"),
        );
      }
    });
    using client = openClient(variant, server);
    const made = [
      await client.request(),
      await client.request({ method: "HEAD", path: "/a?b=c" }),
      await client.request({ method: "POST" }),
    ];
    assertEquals(made.map(({ failure }) => failure), [null, null, null]);
    assertEquals(made.map(({ bodyBytes }) => bodyBytes), [2, 0, 2]);
    assertEquals(server.heads.map((head) => head.split(" HTTP")[0]), ["GET /", "HEAD /a?b=c", "POST /"]);
    assertMatch(server.heads[2] ?? "", /\r\ncontent-length: 0\r\n/i);
    for (const head of server.heads) {
      assertMatch(head, new RegExp(`\r\nhost: 127.0.0.1:${server.port}\r\n`, "i"));
    }
  });

  Deno.test(`${variant} opens another connection when the server said that it closes`, async () => {
    await using server = serveScript(async (peer) => {
      await peer.request();
      await peer.say(respond("ok", "connection: close\r\n"));
    });
    using client = openClient(variant, server);
    const made = [await client.request(), await client.request()];
    assertEquals(made.map(({ serverCloses, failure }) => [serverCloses, failure]), [[true, null], [
      true,
      null,
    ]]);
    assertEquals(server.accepted, 2);
    if (isRaw) assertEquals(made.map(({ connection }) => connection), [1, 2]);
  });

  Deno.test(`${variant} takes redirects and server errors as answers`, async () => {
    for (const status of [302, 503]) {
      await using server = serveScript(
        answering(`HTTP/1.1 ${status} x\r\nlocation: /elsewhere\r\ncontent-length: 2\r\n\r\nno`),
      );
      using client = openClient(variant, server);
      const made = await client.request();
      assertEquals([made.status, made.bodyBytes, made.failure], [status, 2, null]);
      assertEquals(server.heads.length, 1);
    }
  });

  Deno.test(`${variant} tells that nothing listens, and goes on`, async () => {
    using client = openClient(variant, { hostname: "127.0.0.1", port: closedPort() });
    for (let round = 0; round < 2; round++) {
      const made = await client.request();
      assertEquals(made.failure, { phase: "connect", kind: "refused", side: "server" });
      assertEquals([made.status, made.localPort, made.connection, made.serverCloses], [
        null,
        null,
        null,
        null,
      ]);
      assertEquals(made.receiveMs, null);
    }
    assertEquals(client.connections, isRaw ? 0 : null);
  });

  Deno.test(`${variant} tells a response that the connection cut`, async () => {
    await using server = serveScript(async (peer) => {
      await peer.request();
      await peer.say("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel");
    });
    using client = openClient(variant, server);
    const made = await client.request();
    assertEquals(made.failure, { phase: "receive", kind: "closed-early", side: "server" });
    assertEquals([made.status, made.bodyBytes], [200, 3]);
  });

  Deno.test(`${variant} tells a connection that ends without an answer`, async () => {
    await using server = serveScript(async (peer) => {
      await peer.request();
    });
    using client = openClient(variant, server);
    const made = await client.request();
    assertEquals(made.failure, { phase: "wait", kind: "closed-early", side: "server" });
    assertEquals(made.status, null);
  });

  Deno.test(`${variant} tells another protocol`, async () => {
    await using server = serveScript(async (peer) => {
      await peer.say("220 mail ready\r\n");
      await peer.gone();
    });
    using client = openClient(variant, server);
    assertEquals((await client.request()).failure?.kind, "bad-response");
  });

  Deno.test(`${variant} gives up a server that does not answer in time, and goes on`, async () => {
    await using server = serveScript(async (peer) => {
      if (peer.ordinal === 1) await silent(peer);
      else await answering(respond("ok"))(peer);
    });
    using client = openClient(variant, server, { timeoutMs: 100 });
    const made = await client.request();
    assertEquals(made.failure, { phase: "wait", kind: "timed-out", side: "unknown" });
    assertEquals([made.status, made.receiveMs], [null, null]);
    assertMatch(made.error ?? "", /within 100 ms/);
    const next = await client.request();
    assertEquals([next.status, next.failure], [200, null]);
    assertEquals(server.accepted, 2);
  });

  Deno.test(`${variant} gives up a body that does not end in time`, async () => {
    await using server = serveScript(async (peer) => {
      await peer.request();
      await peer.say("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel");
      await peer.gone();
    });
    using client = openClient(variant, server, { timeoutMs: 100 });
    const made = await client.request();
    assertEquals(made.failure, { phase: "receive", kind: "timed-out", side: "unknown" });
    assertEquals([made.status, made.bodyBytes], [200, 3]);
  });

  Deno.test(`${variant} rejects with the reason of its signal, at once and ever after`, async () => {
    await using server = serveScript(silent);
    const controller = new AbortController();
    using client = openClient(variant, server, { signal: controller.signal });
    const pending = client.request();
    while (server.heads.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    controller.abort(new Error("the run is over"));
    await assertRejects(() => pending, Error, "the run is over");
    await assertRejects(() => client.request(), Error, "the run is over");
    using late = openClient(variant, server, { signal: controller.signal });
    await assertRejects(() => late.request(), Error, "the run is over");
    assertEquals(server.accepted, 1);
  });

  Deno.test(`${variant} rejects once it is closed`, async () => {
    await using server = serveScript(silent);
    const client = openClient(variant, server);
    const pending = client.request();
    client.close();
    client.close();
    await assertRejects(() => pending, TypeError, "the client is closed");
    await assertRejects(() => client.request(), TypeError, "the client is closed");
  });

  Deno.test(`${variant} makes one request at a time`, async () => {
    await using server = serveScript(answering(respond("ok")));
    using client = openClient(variant, server);
    const first = client.request();
    await assertRejects(() => client.request(), TypeError, "the previous one is not answered");
    assertEquals((await first).status, 200);
    assertEquals((await client.request()).status, 200);
  });

  Deno.test(`${variant} refuses a path that does not fit into a request line`, async () => {
    using client = openClient(variant, { hostname: "127.0.0.1", port: closedPort() });
    await assertRejects(() => client.request({ path: "/a b" }), TypeError, "its path must begin with /");
    assertEquals((await client.request()).failure?.kind, "refused");
  });
}

Deno.test("raw/shared loses the request that meets a connection ended meanwhile, and does not repeat it", async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  await using server = serveScript(async (peer) => {
    await peer.request();
    await peer.say(respond("ok"));
    if (peer.ordinal === 1) end();
    else await peer.gone();
  });
  using client = openClient("raw/shared", server);
  assertEquals((await client.request()).failure, null);
  await ended;
  const lost = await client.request();
  assertEquals([lost.failure?.side, lost.connection, lost.connectMs], ["server", 1, null]);
  const next = await client.request();
  assertEquals([next.failure, next.connection, client.connections], [null, 2, 2]);
  assertEquals(server.heads.length, 2);
});

Deno.test("raw/new gives up a server whose accept queue is full", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const target = { hostname: "127.0.0.1", port: listener.addr.port };
  const clients = Array.from({ length: 20 }, () => openClient("raw/new", target, { timeoutMs: 200 }));
  try {
    const made = await Promise.all(clients.map((client) => client.request()));
    const late = made.filter(({ failure }) => failure?.phase === "connect");
    assertNotEquals(late, []);
    for (const exchange of late) {
      assertEquals([exchange.failure?.kind, phases(exchange)], ["timed-out", "connect"]);
    }
  } finally {
    for (const client of clients) client.close();
  }
});

Deno.test("openClient refuses what it cannot open", () => {
  const target = { hostname: "127.0.0.1", port: 1 };
  assertThrows(() => openClient("raw/pooled" as ClientVariant, target), TypeError, "raw/shared");
  for (const variant of ["raw/new", "fetch/new"] as const) {
    assertThrows(() => openClient(variant, { ...target, hostname: "[::1]" }), TypeError, "without brackets");
    for (const timeoutMs of [0, -1, NaN, 2 ** 31, Infinity]) {
      assertThrows(() => openClient(variant, target, { timeoutMs }), RangeError, String(timeoutMs));
    }
  }
});
