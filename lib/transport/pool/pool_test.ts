import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { Bench, flush, lend, lendMany, ORIGIN, retired } from "./_testing.ts";
import { AcquireError } from "./acquire_error.ts";
import type { AcquireOptions, Lease, PoolLimits, PoolOptions } from "./options.ts";

/** What a request without a connection rejects with. */
async function refusal(asked: Promise<Lease>): Promise<AcquireError> {
  return await assertRejects(() => asked, AcquireError);
}

Deno.test("a connection that came back is lent again", async () => {
  using bench = new Bench();
  const first = await lend(bench);
  assertEquals([first.id, first.reused, first.idleMs, first.ageMs], [1, false, null, 0]);
  await bench.clock.advance(30);
  first.release(true);
  await bench.clock.advance(12);
  const second = await lend(bench);
  assertStrictEquals(second.connection, first.connection);
  assertEquals([second.id, second.reused, second.idleMs, second.ageMs], [1, true, 12, 42]);
  assertEquals([second.openMs, second.dnsMs, second.queuedMs], [null, null, 0]);
  const { opened, reused, busy, idle } = bench.pool.counts;
  assertEquals({ opened, reused, busy, idle }, { opened: 1, reused: 1, busy: 1, idle: 0 });
});

Deno.test("the connection that came back last is lent first", async () => {
  using bench = new Bench();
  const [first, second, third] = await lendMany(bench, 3) as [Lease, Lease, Lease];
  for (const lease of [second, third, first]) lease.release(true);
  assertEquals((await lendMany(bench, 3)).map(({ id }) => id), [1, 3, 2]);
});

Deno.test("connections are kept for each origin", async () => {
  using bench = new Bench({ maxPerOrigin: 1 });
  const one = await lend(bench);
  one.release(true);
  for (const other of [{ ...ORIGIN, port: 81 }, { ...ORIGIN, hostname: "other.test" }]) {
    const lease = await lend(bench, other);
    assertEquals([lease.reused, lease.address], [false, other.hostname]);
  }
  assertEquals((await lend(bench)).id, one.id);
});

Deno.test("a lease ends once, and one that is disposed of is not used again", async () => {
  using bench = new Bench();
  const lease = await lend(bench);
  lease.release(true);
  lease.release(false);
  lease[Symbol.dispose]();
  assertEquals([bench.pool.counts.idle, bench.connections[0]?.closed], [1, false]);
  {
    using second = await lend(bench);
    assertEquals(second.id, 1);
  }
  assertEquals([retired(bench), bench.connections[0]?.closed], [{ "not-reusable": 1 }, true]);
  await assertRejects(() => lease.replace(), TypeError, "given back");
});

Deno.test("no more connections are opened than may be, those being opened included; the rest waits in order", async () => {
  using bench = new Bench({ maxPerOrigin: 2 });
  const order: number[] = [];
  const asked = [1, 2, 3, 4, 5].map(async (name) => {
    const lease = await bench.pool.acquire(ORIGIN);
    order.push(name);
    return lease;
  });
  assertEquals([bench.openings.length, bench.pool.counts.waiting], [2, 3]);
  bench.openings[0]!.succeed();
  bench.openings[0]!.succeed();
  const [first, second] = await Promise.all(asked.slice(0, 2)) as [Lease, Lease];
  await bench.clock.advance(7);
  second.release(true);
  const third = await asked[2]!;
  assertEquals([third.id, third.reused, third.queuedMs, third.idleMs], [second.id, true, 7, 0]);
  first.release(true);
  (await asked[3]!).release(true);
  await asked[4];
  assertEquals([order, bench.pool.counts.opened, bench.pool.counts.waiting], [[1, 2, 3, 4, 5], 2, 0]);
});

Deno.test("a connection that is not reusable makes room: the next in the queue opens one of its own", async () => {
  using bench = new Bench({ maxPerOrigin: 1 });
  const lease = await lend(bench);
  const waiting = bench.pool.acquire(ORIGIN);
  await bench.clock.advance(5);
  lease.release(false);
  await bench.clock.advance(3);
  bench.openings[0]!.succeed();
  const { id, reused, queuedMs, openMs, idleMs } = await waiting;
  assertEquals({ id, reused, queuedMs, openMs, idleMs }, {
    id: 2,
    reused: false,
    queuedMs: 5,
    openMs: 3,
    idleMs: null,
  });
});

Deno.test("a connection over its lifetime makes room when it comes back", async () => {
  using bench = new Bench({ maxPerOrigin: 1, lifetimeMs: 10 });
  const lease = await lend(bench);
  const waiting = bench.pool.acquire(ORIGIN);
  await bench.clock.advance(10);
  lease.release(true);
  bench.openings[0]!.succeed();
  assertEquals([(await waiting).id, retired(bench)], [2, { lifetime: 1 }]);
});

Deno.test("one more than may wait is refused at once", async () => {
  using bench = new Bench({ maxPerOrigin: 1, maxWaiting: 1 });
  const lease = await lend(bench);
  const waiting = bench.pool.acquire(ORIGIN);
  const { phase, cause, message } = await refusal(bench.pool.acquire(ORIGIN));
  assertEquals({ phase, cause }, { phase: "queue", cause: undefined });
  assertEquals(message, "Cannot acquire connection to example.test:80: the queue is full");
  lease.release(true);
  assertEquals((await waiting).id, 1);
});

Deno.test("who leaves the queue takes nothing along", async () => {
  using bench = new Bench({ maxPerOrigin: 1 });
  const lease = await lend(bench);
  const controller = new AbortController();
  const leaving = bench.pool.acquire(ORIGIN, { signal: controller.signal });
  const staying = bench.pool.acquire(ORIGIN);
  await bench.clock.advance(4);
  controller.abort(new Error("changed my mind"));
  assertEquals(bench.pool.counts.waiting, 1);
  const { phase, times, cause } = await refusal(leaving);
  assertEquals([phase, times, (cause as Error).message], [
    "queue",
    { queue: 4, dns: null, connect: null },
    "changed my mind",
  ]);
  lease.release(true);
  (await staying).release(true);
  assertEquals([bench.pool.counts.opened, bench.pool.counts.idle], [1, 1]);
});

Deno.test("a connection whose request left meanwhile goes to the next in the queue", async () => {
  using bench = new Bench({ maxPerOrigin: 1 });
  const controller = new AbortController();
  const leaving = bench.pool.acquire(ORIGIN, { signal: controller.signal });
  const staying = bench.pool.acquire(ORIGIN);
  controller.abort();
  assertEquals((await refusal(leaving)).phase, "connect");
  assertEquals([bench.openings.length, bench.pool.counts.waiting], [1, 1]);
  bench.openings[0]!.succeed();
  const { id, reused, idleMs, openMs } = await staying;
  assertEquals({ id, reused, idleMs, openMs }, { id: 1, reused: false, idleMs: 0, openMs: null });
});

Deno.test("a connection whose request left meanwhile becomes idle when nobody waits", async () => {
  using bench = new Bench({ idleTimeoutMs: 100 });
  const controller = new AbortController();
  const leaving = bench.pool.acquire(ORIGIN, { signal: controller.signal });
  controller.abort();
  await refusal(leaving);
  bench.openings[0]!.succeed();
  await flush();
  assertEquals([bench.pool.counts.idle, bench.clock.delaysMs], [1, [100]]);
  await bench.clock.advance(9);
  const { id, reused, idleMs } = await bench.pool.acquire(ORIGIN);
  assertEquals({ id, reused, idleMs }, { id: 1, reused: false, idleMs: 9 });
  assertEquals([bench.pool.counts.opened, bench.pool.counts.reused], [1, 0]);
});

Deno.test("who cannot connect is told why; those behind get their turn", async () => {
  using bench = new Bench({ maxPerOrigin: 1 });
  const asked = [1, 2, 3].map(() => bench.pool.acquire(ORIGIN));
  await bench.clock.advance(2);
  bench.openings[0]!.refuse();
  const { phase, times, address, cause } = await refusal(asked[0]!);
  assertEquals([phase, times, address], ["connect", { queue: 0, dns: null, connect: 2 }, "example.test"]);
  assertInstanceOf(cause, Deno.errors.ConnectionRefused);
  bench.openings[0]!.refuse();
  await refusal(asked[1]!);
  bench.openings[0]!.succeed();
  assertEquals((await asked[2]!).id, 1);
  const { opened, failedToOpen, busy } = bench.pool.counts;
  assertEquals({ opened, failedToOpen, busy }, { opened: 1, failedToOpen: 2, busy: 1 });
});

Deno.test("a name is resolved once for every connection that is opened", async () => {
  const addresses = ["127.0.0.1", "127.0.0.2"];
  const asked: string[] = [];
  using bench = new Bench({
    resolve: (hostname) => {
      asked.push(hostname);
      return Promise.resolve(addresses[asked.length - 1]!);
    },
  });
  const lendResolved = async () => {
    const pending = bench.pool.acquire(ORIGIN);
    await flush();
    bench.openings[0]?.succeed();
    return await pending;
  };
  const first = await lendResolved();
  first.release(true);
  const again = await lendResolved();
  again.release(false);
  const second = await lendResolved();
  assertEquals([first, again, second].map(({ address }) => address), ["127.0.0.1", "127.0.0.1", "127.0.0.2"]);
  assertEquals([first, again, second].map(({ dnsMs }) => dnsMs), [0, null, 0]);
  assertEquals([asked, bench.pool.counts.resolutions], [[ORIGIN.hostname, ORIGIN.hostname], 2]);
});

Deno.test("resolving has a time of its own, and so has its failure", async () => {
  const answers: PromiseWithResolvers<string>[] = [];
  using bench = new Bench({
    maxPerOrigin: 1,
    resolve: () => {
      answers.push(Promise.withResolvers());
      return answers.at(-1)!.promise;
    },
  });
  const failing = bench.pool.acquire(ORIGIN);
  const next = bench.pool.acquire(ORIGIN);
  await bench.clock.advance(5);
  answers[0]!.reject(new Error("no such name"));
  const { phase, times, address } = await refusal(failing);
  assertEquals([phase, times, address], ["dns", { queue: 0, dns: 5, connect: null }, null]);
  await bench.clock.advance(3);
  answers[1]!.resolve("127.0.0.1");
  await flush();
  await bench.clock.advance(4);
  bench.openings[0]!.succeed();
  const { queuedMs, dnsMs, openMs } = await next;
  assertEquals({ queuedMs, dnsMs, openMs }, { queuedMs: 5, dnsMs: 3, openMs: 7 });
});

Deno.test("a lease is replaced by a fresh connection in its place, past idle ones and the queue", async () => {
  using bench = new Bench({ maxPerOrigin: 2 });
  const [first, second] = await lendMany(bench, 2) as [Lease, Lease];
  second.release(true);
  const replacing = first.replace();
  assertEquals([bench.openings.length, bench.connections[0]?.closed], [1, true]);
  bench.openings[0]!.succeed();
  const third = await replacing;
  assertEquals([third.id, third.reused, third.idleMs, third.openMs], [3, false, null, 0]);
  assertEquals([bench.pool.counts.idle, retired(bench)], [1, { "not-reusable": 1 }]);

  const again = await lend(bench);
  const waiting = bench.pool.acquire(ORIGIN);
  const refused = again.replace();
  assertEquals([bench.openings.length, bench.pool.counts.waiting], [1, 1]);
  bench.openings[0]!.refuse();
  assertEquals((await refusal(refused)).phase, "connect");
  bench.openings[0]!.succeed();
  assertEquals((await waiting).id, 4);
});

Deno.test("a signal that had aborted is told before anything is done", async () => {
  using bench = new Bench();
  const options: AcquireOptions = { signal: AbortSignal.abort(new Error("too late")) };
  await assertRejects(() => bench.pool.acquire(ORIGIN, options), Error, "too late");
  assertEquals(bench.openings.length, 0);
  const lease = await lend(bench);
  await assertRejects(() => lease.replace(options), Error, "too late");
  lease.release(true);
  assertEquals(bench.pool.counts.idle, 1);
});

Deno.test("closing closes what is idle, turns away who waits, and leaves what is busy", async () => {
  const bench = new Bench({ maxPerOrigin: 2, idleTimeoutMs: 1000 });
  (await lend(bench, { ...ORIGIN, port: 81 })).release(true);
  const busy = await lend(bench);
  const asked = [1, 2].map(() => bench.pool.acquire(ORIGIN));
  const opening = bench.openings[0]!;
  assertEquals([bench.pool.counts.idle, bench.pool.counts.waiting], [1, 1]);
  bench.pool.close();
  bench.pool.close();
  for (const turnedAway of [...asked, bench.pool.acquire(ORIGIN)]) {
    await assertRejects(() => turnedAway, TypeError, "the pool is closed");
  }
  assertEquals([bench.clock.delaysMs, bench.pool.counts.waiting, opening.signal.aborted], [[], 0, true]);
  assertEquals(bench.connections.map(({ closed }) => closed), [true, false]);
  busy.release(true);
  opening.succeed();
  await flush();
  assertEquals([retired(bench), bench.pool.counts.busy], [{ "pool-closed": 3 }, 0]);
  assert(bench.connections.every(({ closed }) => closed));
});

Deno.test("a lease is not replaced once the pool is closed", async () => {
  const bench = new Bench();
  const lease = await lend(bench);
  bench.pool.close();
  await assertRejects(() => lease.replace(), TypeError, "the pool is closed");
  assertEquals([bench.connections[0]?.closed, bench.openings.length], [true, 0]);
});

Deno.test("closing while a name is being resolved connects no more", async () => {
  const answer = Promise.withResolvers<string>();
  const bench = new Bench({ resolve: () => answer.promise });
  const asked = bench.pool.acquire(ORIGIN);
  bench.pool.close();
  await assertRejects(() => asked, TypeError, "the pool is closed");
  answer.resolve("127.0.0.1");
  await flush();
  assertEquals([bench.openings.length, bench.pool.counts.failedToOpen], [0, 1]);
});

Deno.test("a pool refuses limits that make no sense", () => {
  const bad: Partial<PoolOptions>[] = [
    { lifetimeMs: 0 },
    { lifetimeMs: NaN },
    { idleTimeoutMs: -1 },
    { lifetimeJitter: 1.1 },
    { lifetimeJitter: -0.1 },
    { maxIdlePerOrigin: -1 },
    { maxPerOrigin: 0 },
    { maxPerOrigin: 1.5 },
    { maxWaiting: NaN },
  ];
  for (const options of bad) {
    const [[name, value]] = Object.entries(options) as [[string, number]];
    const thrown = assertThrows(() => new Bench(options), RangeError, `Cannot make pool as ${name} must be`);
    assert(thrown.message.endsWith(`current value is ${value}`), thrown.message);
  }
});

Deno.test("a pool tells its limits, of which there are none by default", () => {
  const none: PoolLimits = {
    lifetimeMs: Infinity,
    lifetimeJitter: 0,
    idleTimeoutMs: Infinity,
    maxIdlePerOrigin: Infinity,
    maxPerOrigin: Infinity,
    maxWaiting: Infinity,
  };
  assertEquals(new Bench().pool.limits, none);
  for (const limits of [{ maxIdlePerOrigin: 0, maxWaiting: 0 }, { lifetimeMs: 2500, maxPerOrigin: 1 }]) {
    assertEquals(new Bench(limits).pool.limits, { ...none, ...limits });
  }
});
