import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Failure, FailureName } from "../../record/mod.ts";
import type { Method } from "../http1_request.ts";
import { TlsHandshakeError } from "../tls.ts";
import { Bench, type FakeConnection, flush, ORIGIN, respond } from "./_testing.ts";
import type { PoolOptions } from "./options.ts";
import { PooledClient, type PooledClientOptions } from "./pooled_client.ts";
import type { PooledExchange } from "./pooled_exchange.ts";

/** Answers a request. */
function answer(connection: FakeConnection, request: string): void {
  const response = respond("ok");
  connection.say(request.startsWith("HEAD") ? response.slice(0, -2) : response);
}

/** A client over connections that open at once and answer every request, until the test says otherwise. */
class ClientBench extends Bench {
  readonly client: PooledClient;

  constructor(options: PooledClientOptions = {}, poolOptions: Partial<PoolOptions> = {}) {
    super(poolOptions);
    this.client = new PooledClient(this.pool, options);
    this.onOpen = (opening) => opening.succeed();
    this.onSend = answer;
  }

  /** How many requests were sent over each connection. */
  get sent(): number[] {
    return this.connections.map(({ sent }) => sent.length);
  }

  override [Symbol.dispose](): void {
    this.client.close();
    super[Symbol.dispose]();
  }
}

/** What a pool adds to an exchange. */
function fromPool({ connection, reused, ageMs, idleMs, queuedMs, address, attempts }: PooledExchange) {
  return { connection, reused, ageMs, idleMs, queuedMs, address, attempts };
}

Deno.test("requests say which connection carried them", async () => {
  using bench = new ClientBench();
  const first = await bench.client.request(ORIGIN, { path: "/a?b" });
  await bench.clock.advance(20);
  const second = await bench.client.request(ORIGIN, { method: "HEAD" });
  assertEquals([first.status, first.bodyBytes, first.failure, first.localPort], [200, 2, null, 50_001]);
  assertEquals([first.connectMs, first.tlsMs, first.dnsMs], [1, null, null]);
  assertEquals([second.connectMs, second.tlsMs, second.dnsMs], [null, null, null]);
  const common = { connection: 1, queuedMs: 0, address: ORIGIN.hostname, attempts: 1 };
  assertEquals(fromPool(first), { ...common, reused: false, ageMs: 0, idleMs: null });
  assertEquals(fromPool(second), { ...common, reused: true, ageMs: 20, idleMs: 20 });
  assertEquals(bench.connections[0]?.sent.map((head) => head.split(" HTTP")[0]), ["GET /a?b", "HEAD /"]);
  assertEquals(bench.connections[0]?.sent[0]?.split("\r\n")[1], "host: example.test:80");
});

Deno.test("concurrent requests share the connections that there may be, in order", async () => {
  using bench = new ClientBench({}, { maxPerOrigin: 2 });
  bench.onSend = (connection) => bench.clock.after(() => connection.say(respond("ok")), 500);
  const pending = Array.from({ length: 6 }, () => bench.client.request(ORIGIN));
  await flush();
  assertEquals(bench.pool.counts.waiting, 4);
  await bench.clock.advance(1500);
  const made = await Promise.all(pending);
  assertEquals(made.map(({ queuedMs }) => queuedMs), [0, 0, 500, 500, 1000, 1000]);
  assertEquals(made.map(({ elapsedMs }) => elapsedMs), [500, 500, 1000, 1000, 1500, 1500]);
  assertEquals(made.map(({ connection }) => connection), [1, 2, 1, 2, 1, 2]);
});

Deno.test("clients share a pool, which none of them closes", async () => {
  using bench = new ClientBench();
  for (let client = 0; client < 3; client++) {
    using sharing = new PooledClient(bench.pool);
    assertEquals((await sharing.request(ORIGIN)).connection, 1);
  }
  assertEquals([bench.pool.counts.opened, bench.pool.counts.idle], [1, 1]);
});

Deno.test("a connection that the server announced to close is not kept", async () => {
  using bench = new ClientBench();
  bench.onSend = (connection) => connection.say(respond("ok", "connection: close\r\n"));
  const made = [await bench.client.request(ORIGIN), await bench.client.request(ORIGIN)];
  assertEquals(made.map(({ connection, serverCloses }) => [connection, serverCloses]), [[1, true], [
    2,
    true,
  ]]);
  assertEquals(bench.pool.counts.retired["not-reusable"], 2);
});

/** Ways in which a kept connection fails without a byte of a response. */
const STALE: Readonly<Record<string, (connection: FakeConnection) => void>> = {
  "closed-early": (connection) => connection.end(),
  "reset": (connection) => connection.reset(),
};

for (const [kind, fail] of Object.entries(STALE)) {
  for (const method of ["GET", "HEAD", "POST"] satisfies Method[]) {
    for (const retryStale of ["never", "idempotent"] as const) {
      const retried = retryStale === "idempotent" && method !== "POST";
      const does = retried ? "is sent once more" : "is not sent again";
      Deno.test(`a ${method} whose kept connection is ${kind} ${does} with retryStale ${retryStale}`, async () => {
        using bench = new ClientBench({ retryStale }, { watchIdle: false });
        await Promise.all([1, 2].map(() => bench.client.request(ORIGIN)));
        await bench.clock.advance(30);
        bench.onSend = (connection, request) =>
          bench.connections.indexOf(connection) < 2 ? fail(connection) : answer(connection, request);
        const made = await bench.client.request(ORIGIN, { method });
        const failure: Failure = { phase: "wait", kind: kind as FailureName, side: "server" };
        if (!retried) {
          assertEquals([made.failure, made.attempts, made.failedAttempts], [failure, 1, []]);
          assertEquals([made.connection, made.reused, made.idleMs, bench.sent], [2, true, 30, [1, 2]]);
          return;
        }
        assertEquals([made.failure, made.attempts, made.connection, made.reused], [null, 2, 3, false]);
        assertEquals(made.failedAttempts.map(({ error: _, ...rest }) => rest), [
          { connection: 2, localPort: 50_002, ageMs: 30, idleMs: 30, failure },
        ]);
        assertEquals(typeof made.failedAttempts[0]?.error, "string");
        assertEquals([bench.sent, bench.pool.counts.retired["not-reusable"]], [[1, 2, 1], 1]);
      });
    }
  }
}

Deno.test("a fresh connection that fails is not tried again", async () => {
  using bench = new ClientBench({ retryStale: "idempotent" });
  bench.onSend = (connection) => connection.reset();
  const { failure, attempts, reused } = await bench.client.request(ORIGIN);
  assertEquals([failure?.kind, attempts, reused, bench.sent], ["reset", 1, false, [1]]);
});

Deno.test("the fresh connection of a retry that fails too is the end of it", async () => {
  using bench = new ClientBench({ retryStale: "idempotent" }, { watchIdle: false });
  await bench.client.request(ORIGIN);
  bench.onSend = (connection) => connection.reset();
  const { failure, attempts, failedAttempts } = await bench.client.request(ORIGIN);
  assertEquals([failure?.kind, attempts, failedAttempts.length, bench.sent], ["reset", 2, 1, [2, 1]]);
});

Deno.test("a retry that cannot connect tells of both", async () => {
  using bench = new ClientBench({ retryStale: "idempotent" }, { watchIdle: false });
  await bench.client.request(ORIGIN);
  bench.onSend = (connection) => connection.end();
  bench.onOpen = (opening) => opening.refuse();
  const made = await bench.client.request(ORIGIN);
  assertEquals(made.failure, { phase: "connect", kind: "refused", side: "server" });
  assertEquals([made.attempts, made.failedAttempts[0]?.failure.kind], [2, "closed-early"]);
  assertEquals([made.connection, made.reused, made.address], [null, null, ORIGIN.hostname]);
});

Deno.test("a request whose response has begun is not repeated", async () => {
  for (const begun of ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n"]) {
    using bench = new ClientBench({ retryStale: "idempotent" }, { watchIdle: false });
    await bench.client.request(ORIGIN);
    bench.onSend = (connection) => {
      connection.say(begun);
      connection.reset();
    };
    const { failure, attempts } = await bench.client.request(ORIGIN);
    assertEquals([failure, attempts], [{ phase: "receive", kind: "reset", side: "server" }, 1]);
  }
});

Deno.test("a watching pool does not meet a connection that ended while it was idle", async () => {
  using bench = new ClientBench();
  await bench.client.request(ORIGIN);
  bench.connections[0]!.end();
  await flush();
  const { failure, reused, connection } = await bench.client.request(ORIGIN);
  assertEquals([failure, reused, connection, bench.sent], [null, false, 2, [1, 1]]);
});

Deno.test("what cannot be connected to is a failure, and those behind it get their turn", async () => {
  using bench = new ClientBench({}, { maxPerOrigin: 1 });
  bench.onOpen = () => {};
  const pending = [bench.client.request(ORIGIN), bench.client.request(ORIGIN)];
  bench.onOpen = (opening) => opening.succeed();
  await bench.clock.advance(3);
  bench.openings[0]!.refuse();
  const [refused, next] = await Promise.all(pending) as [PooledExchange, PooledExchange];
  assertEquals(refused.failure, { phase: "connect", kind: "refused", side: "server" });
  assertEquals([refused.connectMs, refused.elapsedMs, refused.sendMs, refused.attempts], [3, 3, null, 1]);
  assertEquals([next.failure, next.queuedMs, next.connection], [null, 3, 1]);
});

Deno.test("a name that is not found is a failure of resolving", async () => {
  const error = new Error("failed to lookup address information: Name or service not known");
  using bench = new ClientBench({}, { resolve: () => Promise.reject(error) });
  const { failure, dnsMs, connectMs, address } = await bench.client.request(ORIGIN);
  assertEquals(failure, { phase: "dns", kind: "name-not-found", side: "unknown" });
  assertEquals([dnsMs, connectMs, address], [0, null, null]);
});

Deno.test("a TLS handshake that fails is told apart from connecting", async () => {
  const cause = new TlsHandshakeError(2, new Error("invalid peer certificate: Expired"));
  using bench = new ClientBench({}, {
    connect: () => new Promise((_, reject) => bench.clock.after(() => reject(cause), 7)),
  });
  const pending = bench.client.request(ORIGIN);
  await bench.clock.advance(7);
  const { failure, connectMs, tlsMs } = await pending;
  assertEquals(failure, { phase: "tls", kind: "certificate-refused", side: "unknown" });
  assertEquals([connectMs, tlsMs], [2, 5]);
});

Deno.test("time that is up is told of the phase in which it was", async () => {
  using bench = new ClientBench({ timeoutMs: 100 }, { maxPerOrigin: 1 });
  bench.onSend = () => {};
  const pending = [bench.client.request(ORIGIN)];
  await bench.clock.advance(40);
  pending.push(bench.client.request(ORIGIN));
  bench.onOpen = () => {};
  await bench.clock.advance(60);
  const unanswered = await pending[0]!;
  assertEquals(unanswered.failure, { phase: "wait", kind: "timed-out", side: "unknown" });
  assertEquals([unanswered.elapsedMs, bench.connections[0]?.closed], [100, true]);
  pending.push(bench.client.request(ORIGIN));
  await bench.clock.advance(100);
  const [, unconnected, unserved] = await Promise.all(pending) as [unknown, PooledExchange, PooledExchange];
  assertEquals(unconnected.failure, { phase: "connect", kind: "timed-out", side: "unknown" });
  assertEquals([unconnected.queuedMs, unconnected.connectMs, unconnected.elapsedMs], [60, 40, 100]);
  assertEquals(unserved.failure, { phase: "client", kind: "timed-out", side: "client" });
  assertEquals([unserved.queuedMs, unserved.elapsedMs, unserved.error], [
    100,
    100,
    "The time limit of the request has passed",
  ]);
  assertEquals(bench.pool.counts.waiting, 0);
});

Deno.test("a time-out is no stale connection: the request is not repeated", async () => {
  using bench = new ClientBench({ timeoutMs: 100, retryStale: "idempotent" });
  await bench.client.request(ORIGIN);
  bench.onSend = () => {};
  const pending = bench.client.request(ORIGIN);
  await bench.clock.advance(100);
  const { failure, attempts, reused } = await pending;
  assertEquals([failure?.kind, attempts, reused, bench.sent], ["timed-out", 1, true, [2]]);
});

Deno.test("one timer limits all requests, and none when there is nothing to limit", async () => {
  using bench = new ClientBench({ timeoutMs: 100 });
  for (let request = 0; request < 3; request++) {
    await bench.client.request(ORIGIN);
    await bench.clock.advance(30);
  }
  assertEquals(bench.clock.delaysMs, [10]);
  await bench.clock.advance(10);
  assertEquals(bench.clock.delaysMs, []);
});

Deno.test("a full queue is the client's limit", async () => {
  using bench = new ClientBench({}, { maxPerOrigin: 1, maxWaiting: 0 });
  bench.onSend = () => {};
  const busy = bench.client.request(ORIGIN);
  const { failure, queuedMs, connection } = await bench.client.request(ORIGIN);
  assertEquals(failure, { phase: "client", kind: "queue-full", side: "client" });
  assertEquals([queuedMs, connection], [0, null]);
  bench.connections[0]!.say(respond("ok"));
  assertEquals((await busy).failure, null);
});

Deno.test("a request that nobody wants any more rejects, wherever it is, and holds nothing", async () => {
  using bench = new ClientBench({ retryStale: "idempotent" }, { maxPerOrigin: 1 });
  bench.onSend = () => {};
  const controllers = [1, 2].map(() => new AbortController());
  const pending = controllers.map(({ signal }) => bench.client.request(ORIGIN, { signal }));
  const staying = bench.client.request(ORIGIN);
  await flush();
  for (const controller of controllers.toReversed()) {
    bench.onSend = answer;
    controller.abort(new Error("no longer wanted"));
  }
  for (const left of pending) await assertRejects(() => left, Error, "no longer wanted");
  assertEquals([(await staying).connection, bench.pool.counts.busy, bench.pool.counts.waiting], [2, 0, 0]);
  const { signal } = controllers[0]!;
  await assertRejects(() => bench.client.request(ORIGIN, { signal }), Error, "no longer wanted");
  assertEquals(bench.sent, [1, 1]);
});

Deno.test("closing a client ends its requests and not its pool", async () => {
  using bench = new ClientBench();
  bench.onSend = () => {};
  const pending = bench.client.request(ORIGIN);
  await flush();
  bench.client.close();
  await assertRejects(() => pending, TypeError, "the client is closed");
  await assertRejects(() => bench.client.request(ORIGIN), TypeError, "the client is closed");
  assertEquals([bench.pool.counts.busy, bench.connections[0]?.closed, bench.clock.delaysMs], [0, true, []]);
  (await bench.pool.acquire(ORIGIN)).release(false);
});

Deno.test("misuse is thrown", async () => {
  using bench = new ClientBench();
  await assertRejects(() => bench.client.request(ORIGIN, { path: "a" }), TypeError, "path must begin with /");
  assertThrows(() => new PooledClient(bench.pool, { timeoutMs: 0 }), RangeError, "timeoutMs must be > 0");
  bench.pool.close();
  await assertRejects(() => bench.client.request(ORIGIN), TypeError, "the pool is closed");
});
