import { assert, assertEquals } from "@std/assert";
import { randomSource } from "../../stats/mod.ts";
import { bindWalk, ConnectWalk, Ports, type Walked } from "./walk.ts";

/** A walk over ports of which each that is found is taken. */
function fill(ports: Ports, count: number, next: () => Walked): Walked[] {
  return Array.from({ length: count }, () => {
    const walked = next();
    if (walked.port !== null) ports.take(walked.port);
    return walked;
  });
}

function connectWalk(hash = 0, random = () => 0, mixesParities = true): ConnectWalk {
  return new ConnectWalk({ hash, mixesParities, random });
}

Deno.test("connect() gives all ports of the low port's parity first, wherever it begins", () => {
  for (const low of [100, 101]) {
    const ports = new Ports({ low, high: low + 99 });
    const walk = connectWalk(4_000_000_000 + low, randomSource(low));
    const found = fill(ports, 100, () => walk.next(ports)).map(({ port }) => port!);
    assertEquals(new Set(found.slice(0, 50).map((port) => (port - low) % 2)), new Set([0]));
    assertEquals(new Set(found.slice(50).map((port) => (port - low) % 2)), new Set([1]));
    assertEquals(new Set(found).size, 100);
  }
});

Deno.test("connect() tries each port of the first parity before one of the other, and all of them before it gives up", () => {
  const ports = new Ports({ low: 100, high: 119 });
  const walk = connectWalk(7);
  const tries = fill(ports, 21, () => walk.next(ports)).map(({ tried }) => tried);
  // The next walk begins right behind the port that was found.
  assertEquals(tries.slice(0, 10), Array(10).fill(1));
  assertEquals(tries.slice(10, 20), Array(10).fill(11));
  assertEquals(tries[20], 20);
  assertEquals(walk.next(ports), { port: null, tried: 20 });
});

Deno.test("connect() begins a few ports behind the last one, at random, and goes around the end of the range", () => {
  const ports = new Ports({ low: 100, high: 119 });
  const walk = connectWalk(0, () => 0.999);
  // 7 further steps of 2, and one.
  const found = fill(ports, 4, () => walk.next(ports)).map(({ port }) => port);
  assertEquals(found, [100, 116, 112, 108]);
});

Deno.test("connect() walks over an odd number of ports as the kernel does: one of them may be left", () => {
  const ports = new Ports({ low: 100, high: 104 });
  const walk = connectWalk();
  const found = fill(ports, 6, () => walk.next(ports)).map(({ port }) => port);
  assertEquals(found.filter((port) => port !== null).length >= 4, true);
  assertEquals(found.at(-1), null);
});

Deno.test("a socket's own range is walked port by port on Linux 6.8 and later, by parity before", () => {
  const range = { low: 100, high: 109 };
  const parities = (mixesParities: boolean) => {
    const ports = new Ports(range);
    const walk = connectWalk(0, () => 0, mixesParities);
    return fill(ports, 10, () => walk.next(ports, range)).map(({ port }) => port! % 2);
  };
  assertEquals(parities(true), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
  assertEquals(parities(false), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
});

Deno.test("a window that is full fails though other ports are free", () => {
  const ports = new Ports({ low: 100, high: 199 });
  const walk = connectWalk();
  const window = { low: 150, high: 152 };
  const walks = fill(ports, 4, () => walk.next(ports, window));
  assertEquals(walks.slice(0, 3).map(({ port }) => port).sort(), [150, 151, 152]);
  assertEquals(walks[3], { port: null, tried: 3 });
  assert(!ports.isTaken(149) && !ports.isTaken(153));
});

Deno.test("bind() gives the other parity first, from a random port on", () => {
  const ports = new Ports({ low: 100, high: 149 });
  const random = randomSource(5);
  const walks = fill(ports, 51, () => bindWalk(ports, random));
  assertEquals(new Set(walks.slice(0, 25).map(({ port }) => port! % 2)), new Set([1]));
  assertEquals(new Set(walks.slice(25, 50).map(({ port }) => port! % 2)), new Set([0]));
  assertEquals(walks.slice(25, 50).every(({ tried }) => tried > 25), true);
  assertEquals(walks[50], { port: null, tried: 50 });
});

Deno.test("a range of one port is walked too", () => {
  const ports = new Ports({ low: 100, high: 100 });
  const walk = connectWalk(3);
  assertEquals(fill(ports, 2, () => walk.next(ports)), [{ port: 100, tried: 1 }, { port: null, tried: 1 }]);
});
