import { assertEquals, assertNotEquals } from "@std/assert";
import { answering, respond, serveScript, until } from "../testing/mod.ts";
import { issueCertificate } from "./certificates.ts";
import { Pool, PooledClient, type PoolOptions } from "./pool/mod.ts";
import { connectTcp } from "./tcp.ts";
import { connectTls } from "./tls.ts";

/** A pool over sockets. */
function poolOf(options: Partial<PoolOptions> = {}): Pool {
  return new Pool({
    connect: (hostname, { port }, signal) => connectTcp({ hostname, port, signal }),
    ...options,
  });
}

Deno.test("requests in a row share a socket, requests side by side have one each", async () => {
  await using server = serveScript(answering(respond("x".repeat(10_000))));
  using pool = poolOf();
  using client = new PooledClient(pool);
  const made = [await client.request(server), await client.request(server)];
  assertEquals(made.map(({ reused, bodyBytes }) => [reused, bodyBytes]), [[false, 10_000], [true, 10_000]]);
  assertEquals(made[0]?.localPort, made[1]?.localPort);
  assertEquals([typeof made[0]?.connectMs, made[1]?.connectMs], ["number", null]);
  const burst = await Promise.all(Array.from({ length: 20 }, () => client.request(server)));
  assertEquals(new Set(burst.map(({ localPort }) => localPort)).size, 20);
  assertEquals([server.accepted, pool.counts.opened, pool.counts.idle], [20, 20, 20]);
});

Deno.test("a limit holds over sockets, and everyone is served", async () => {
  await using server = serveScript(answering(respond("ok")));
  using pool = poolOf({ maxPerOrigin: 3 });
  using client = new PooledClient(pool);
  const made = await Promise.all(Array.from({ length: 50 }, () => client.request(server)));
  assertEquals(made.filter(({ status }) => status === 200).length, 50);
  assertEquals([server.accepted, pool.counts.reused], [3, 47]);
});

Deno.test("a server that closes idle sockets is noticed, by a pool that watches", async () => {
  for (const watchIdle of [true, false]) {
    const answered = Promise.withResolvers<void>();
    await using server = serveScript(async (peer) => {
      if (!await peer.request()) return;
      await peer.say(respond("ok"));
      if (peer.ordinal === 1) return answered.promise;
      await peer.gone();
    });
    using pool = poolOf({ watchIdle });
    using client = new PooledClient(pool, { retryStale: "idempotent" });
    const first = await client.request(server);
    answered.resolve();
    if (watchIdle) await until(() => pool.counts.retired["peer-closed"] === 1);
    const second = await client.request(server);
    assertEquals([second.status, second.failure], [200, null]);
    assertNotEquals(second.localPort, first.localPort);
    assertEquals(second.failedAttempts.map(({ localPort }) => localPort), watchIdle ? [] : [first.localPort]);
  }
});

Deno.test("a TLS connection is watched while it is idle, and writes meanwhile", async () => {
  const { ca, certificate, key } = await issueCertificate({});
  using listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert: certificate, key });
  const sockets: Deno.TlsConn[] = [];
  const serving = (async () => {
    const socket = await listener.accept();
    sockets.push(socket);
    const buffer = new Uint8Array(4096);
    while (await socket.read(buffer) !== null) await socket.write(new TextEncoder().encode(respond("ok")));
  })().catch(() => {});
  using pool = poolOf({
    connect: (hostname, { port }, signal) => connectTls({ hostname, port, signal, caCerts: [ca] }),
  });
  using client = new PooledClient(pool);
  const origin = { hostname: "127.0.0.1", port: listener.addr.port };
  const made = [];
  for (let request = 0; request < 5; request++) made.push(await client.request(origin));
  assertEquals(made.map(({ status, connection }) => [status, connection]), Array(5).fill([200, 1]));
  assertEquals(made.map(({ tlsMs }) => typeof tlsMs), ["number", ...Array(4).fill("object")]);
  sockets[0]!.close();
  await until(() => pool.counts.retired["peer-closed"] === 1);
  await serving;
});
