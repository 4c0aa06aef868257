import { assertEquals } from "@std/assert";
import { Bench, flush, lend, lendMany, ORIGIN, retired } from "./_testing.ts";
import type { Lease } from "./options.ts";

Deno.test("an idle connection goes at the end of its lifetime, a busy one when it comes back", async () => {
  using bench = new Bench({ lifetimeMs: 100 });
  const [idle, busy] = await lendMany(bench, 2) as [Lease, Lease];
  idle.release(true);
  await bench.clock.advance(99);
  assertEquals(retired(bench), {});
  await bench.clock.advance(1);
  assertEquals([retired(bench), bench.connections.map(({ closed }) => closed)], [{ lifetime: 1 }, [
    true,
    false,
  ]]);
  await bench.clock.advance(1000);
  assertEquals(bench.connections[1]?.closed, false);
  busy.release(true);
  assertEquals([retired(bench), bench.connections[1]?.closed], [{ lifetime: 2 }, true]);
});

Deno.test("use does not lengthen a lifetime", async () => {
  using bench = new Bench({ lifetimeMs: 100 });
  const ids: number[] = [];
  for (let at = 0; at < 7; at++) {
    const lease = await lend(bench);
    ids.push(lease.id);
    lease.release(true);
    await bench.clock.advance(40);
  }
  assertEquals(ids, [1, 1, 1, 2, 2, 2, 3]);
});

Deno.test("jitter shortens each lifetime by a share of its own, drawn once", async () => {
  const draws = [0, 0.5, 0.9];
  using bench = new Bench({ lifetimeMs: 1000, lifetimeJitter: 0.2, random: () => draws.shift()! });
  for (const lease of await lendMany(bench, 3)) lease.release(true);
  assertEquals([draws.length, bench.clock.delaysMs], [0, [820]]);
  const left: number[] = [];
  for (const stepMs of [820, 80, 100]) {
    await bench.clock.advance(stepMs - 1);
    const before = bench.pool.counts.idle;
    await bench.clock.advance(1);
    left.push(before, bench.pool.counts.idle);
  }
  assertEquals([left, retired(bench)], [[3, 2, 2, 1, 1, 0], { lifetime: 3 }]);
});

Deno.test("an idle connection goes after its idle timeout, which begins anew with each use", async () => {
  using bench = new Bench({ idleTimeoutMs: 100, lifetimeMs: 10_000 });
  const [first, second] = await lendMany(bench, 2) as [Lease, Lease];
  first.release(true);
  await bench.clock.advance(60);
  second.release(true);
  await bench.clock.advance(40);
  assertEquals([retired(bench), bench.pool.counts.idle], [{ "idle-timeout": 1 }, 1]);
  await bench.clock.advance(59);
  (await lend(bench)).release(true);
  await bench.clock.advance(99);
  assertEquals(bench.pool.counts.idle, 1);
  await bench.clock.advance(1);
  assertEquals(retired(bench), { "idle-timeout": 2 });
});

Deno.test("what expires at one origin makes no room at another", async () => {
  using bench = new Bench({ idleTimeoutMs: 100, maxPerOrigin: 1 });
  (await lend(bench, { ...ORIGIN, port: 81 })).release(true);
  const busy = await lend(bench);
  const waiting = bench.pool.acquire(ORIGIN);
  await bench.clock.advance(100);
  assertEquals([retired(bench), bench.openings.length], [{ "idle-timeout": 1 }, 0]);
  busy.release(true);
  assertEquals((await waiting).id, busy.id);
});

Deno.test("one timer serves all idle connections, and none when there is nothing to expire", async () => {
  using bench = new Bench({ idleTimeoutMs: 100 });
  const leases = await lendMany(bench, 3);
  assertEquals(bench.clock.delaysMs, []);
  for (const lease of leases) {
    lease.release(true);
    await bench.clock.advance(10);
  }
  assertEquals(bench.clock.delaysMs, [70]);
  await bench.clock.advance(70);
  assertEquals([bench.pool.counts.idle, bench.clock.delaysMs], [2, [10]]);
  await bench.clock.advance(1000);
  assertEquals([bench.pool.counts.idle, bench.clock.delaysMs], [0, []]);
});

Deno.test("a timer that is late does not let an expired connection be lent", async () => {
  using bench = new Bench({ idleTimeoutMs: 100 });
  for (const lease of await lendMany(bench, 2)) lease.release(true);
  bench.clock.passUnnoticed(100);
  const lease = await lend(bench);
  assertEquals([lease.id, lease.reused, retired(bench)], [3, false, { "idle-timeout": 2 }]);
});

Deno.test("no more connections stay idle than may", async () => {
  using bench = new Bench({ maxIdlePerOrigin: 2 });
  for (const lease of await lendMany(bench, 4)) lease.release(true);
  assertEquals([bench.pool.counts.idle, retired(bench)], [2, { "idle-limit": 2 }]);
  assertEquals((await lendMany(bench, 3)).map(({ id }) => id), [2, 1, 5]);
});

for (
  const [what, stir] of Object.entries({ "ends": "end", "resets": "reset", "speaks on": "say" } as const)
) {
  Deno.test(`an idle connection goes when its peer ${what}`, async () => {
    using bench = new Bench();
    for (const lease of await lendMany(bench, 3)) lease.release(true);
    bench.connections[1]![stir]("HTTP/1.1 408 Request Timeout\r\n\r\n");
    await flush();
    assertEquals([retired(bench), bench.connections[1]?.closed], [{ "peer-closed": 1 }, true]);
    assertEquals((await lendMany(bench, 3)).map(({ id }) => id), [3, 1, 4]);
  });
}

Deno.test("a pool that does not watch lends a connection that its peer has ended", async () => {
  using bench = new Bench({ watchIdle: false });
  const first = await lend(bench);
  first.release(true);
  assertEquals(bench.connections[0]?.isRead, false);
  bench.connections[0]!.end();
  await flush();
  const again = await lend(bench);
  assertEquals([again.id, again.reused, retired(bench)], [1, true, {}]);
  assertEquals(await again.connection.read(new Uint8Array(8)), null);
});

Deno.test("the end of a busy connection is left to whoever holds it", async () => {
  using bench = new Bench();
  (await lend(bench)).release(true);
  const lease = await lend(bench);
  assertEquals(bench.connections[0]?.isRead, true);
  bench.connections[0]!.end();
  await flush();
  assertEquals([retired(bench), bench.connections[0]?.closed], [{}, false]);
  lease.release(true);
  await flush();
  assertEquals(retired(bench), { "peer-closed": 1 });
});
