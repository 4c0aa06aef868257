import { assertEquals } from "@std/assert";
import { Agenda } from "./agenda.ts";
import { Pacer } from "./pacer.ts";

Deno.test("Agenda: in a closed loop a request is due whenever a connection is free, until none is left", () => {
  const agenda = new Agenda(null, { durationMs: 100, requests: 2 });
  assertEquals(agenda.nextMs, 0);
  assertEquals([agenda.take(5), agenda.take(7), agenda.take(9)], [5, 7, -1]);
  assertEquals(agenda.nextMs, Infinity);
  assertEquals(agenda.drop(100), 0);
});

Deno.test("Agenda: it is done once all that was asked for has begun, and never without a bound", () => {
  const closed = new Agenda(null, { durationMs: 100, requests: 1 });
  assertEquals(closed.isDone, false);
  closed.take(5);
  assertEquals(closed.isDone, true);
  const arrivals = { loop: "open", ratePerSecond: 100, spacing: "constant" } as const;
  for (const [requests, isDone] of [[null, false], [3, false], [2, true]] as const) {
    const agenda = new Agenda(new Pacer(arrivals, { durationMs: 20, requests }), { durationMs: 20 });
    assertEquals([agenda.take(19), agenda.isDone], [0, false]);
    while (agenda.take(19) >= 0);
    assertEquals([agenda.nextMs, agenda.isDone], [Infinity, isDone]);
  }
});

Deno.test("Agenda: in an open loop requests keep the time at which they should have begun", () => {
  const arrivals = { loop: "open", ratePerSecond: 100, spacing: "constant" } as const;
  const agenda = new Agenda(new Pacer(arrivals, { durationMs: 50 }), { durationMs: 50 });
  assertEquals(agenda.take(0), 0);
  assertEquals(agenda.take(9), -1);
  assertEquals(agenda.nextMs, 10);
  assertEquals([agenda.take(25), agenda.take(25), agenda.take(25)], [10, 20, -1]);
  // Those of 30 and 40 ms never found a connection.
  assertEquals(agenda.drop(50), 2);
  assertEquals([agenda.nextMs, agenda.drop(60)], [Infinity, 0]);
});

Deno.test("Agenda: nothing begins before the load does, or once the time is up", () => {
  assertEquals(new Agenda(null, { durationMs: 50 }).take(50), -1);
  const early = new Agenda(null, { durationMs: 50, requests: 1 });
  assertEquals([early.take(-1), early.take(0), early.take(1)], [-1, 0, -1]);
  const arrivals = { loop: "open", ratePerSecond: 100, spacing: "constant" } as const;
  const agenda = new Agenda(new Pacer(arrivals, { durationMs: 50 }), { durationMs: 50 });
  assertEquals([agenda.take(-1), agenda.take(50)], [-1, -1]);
  assertEquals([agenda.drop(-1), agenda.drop(50)], [0, 5]);
});
