import { assert, assertEquals } from "@std/assert";
import { resolveParams, type Row } from "../../record/mod.ts";
import { ServerProcess } from "../../testing/mod.ts";
import type { ServerHandles } from "../contract.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { measure } from "./measure.ts";
import experiment from "./mod.ts";
import { params } from "./params.ts";
import { type Tables, tables } from "./tables.ts";

const ORIGIN = new URL("../../../servers/origin.ts", import.meta.url);

/** The servers of a run, with the rights and flags that the experiment asks for. */
async function start(stack: AsyncDisposableStack, given: Record<string, unknown>): Promise<ServerHandles> {
  const handles: Record<string, ServerHandles[string]> = {};
  for (const spec of experiment.servers!(resolveParams(params, given).values)) {
    const flags = typeof spec.flags === "function" ? spec.flags(handles) : spec.flags;
    const server = stack.use(await ServerProcess.start(ORIGIN, { flags, net: spec.net }));
    handles[spec.as ?? spec.name] = server.announcement;
  }
  return handles;
}

async function measured(
  given: Record<string, unknown>,
  prepare: (notes: RecordingContext<Tables>) => void = () => {},
): Promise<RecordingContext<Tables>> {
  await using stack = new AsyncDisposableStack();
  const notes = new RecordingContext(tables, { servers: await start(stack, given) });
  prepare(notes);
  await measure(resolveParams(params, given).values, notes.context);
  return notes;
}

/** At it the time after the move that lifetimes leave is longer than a busy machine is late. */
const SPEED = 4;

const of = (rows: readonly Row[], variant: string) => rows.filter((row) => row.variant === variant);

function column(rows: readonly Row[], name: string): unknown[] {
  return rows.map((row) => row[name]);
}

Deno.test("measure() of rotation records each request as both ends saw it, and a resolution a connection", async () => {
  const { rows, warnings } = await measured({ part: "rotation", requests: 5, speed: 20 });
  assertEquals(column(rows.requests, "order").toSorted(), [0, 1, 2, 3, 4]);
  assertEquals(column(rows.requests, "failureKind"), [null, null, null, null, null]);
  const seen = new Map(rows.visits.map(({ id, clientPort }) => [id, clientPort]));
  assertEquals(rows.requests.map(({ id }) => seen.get(id!)), column(rows.requests, "clientPort"));
  const [pool] = rows.pools;
  const connections = new Set(column(rows.requests, "connection")).size;
  assertEquals([pool!.opened, pool!.accepted, rows.resolutions.length], new Array(3).fill(connections));
  // Four intervals are longer than the lifetime, however late a request begins.
  assert(connections > 1);
  assertEquals([rows.moves, rows.reconnects, rows.blocks], [[], [], []]);
  assertEquals(warnings, ["loopback", "accelerated"]);
});

Deno.test("measure() of shared opens one connection for all clients of a pool, and one each for a pool each", async () => {
  const { rows, warnings } = await measured({ part: "shared", clients: 4 });
  const counts = rows.pools.map(({ variant, opened, accepted }) => [variant, opened, accepted]);
  assertEquals(counts, [["shared", 1, 1], ["apart", 4, 4]]);
  assertEquals(new Set(column(of(rows.requests, "shared"), "clientPort")).size, 1);
  assertEquals(column(of(rows.requests, "apart"), "client"), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
  assertEquals(warnings, ["loopback"]);
});

// Other systems have no address on loopback but one.
if (Deno.build.os === "linux") {
  Deno.test("measure() of blue-green moves pools with a lifetime to the new address and no others", async () => {
    const { rows } = await measured({ part: "blue-green", clients: 2, speed: SPEED });
    for (const variant of ["none/idle", "none/busy"]) {
      assertEquals(new Set(column(of(rows.requests, variant), "address")), new Set(["127.0.0.1"]), variant);
      assertEquals(of(rows.pools, variant)[0]!.opened, 2, variant);
    }
    const [move] = rows.moves;
    assertEquals([rows.moves.length, move!.from, move!.to], [1, "127.0.0.1", "127.0.0.2"]);
    const movedMs = Number(move!.movedMs);
    for (const variant of ["lifetime/idle", "lifetime/busy"]) {
      const requests = of(rows.requests, variant);
      assertEquals(new Set(column(requests, "address")), new Set(["127.0.0.1", "127.0.0.2"]), variant);
      for (const { address, startMs, elapsedMs, ageMs } of requests) {
        // However late: a connection that was opened before goes to the old address, and none is used too long.
        if (Number(startMs) + Number(elapsedMs) < movedMs) assertEquals(address, "127.0.0.1", variant);
        if (Number(startMs) - Number(ageMs) > movedMs) assertEquals(address, "127.0.0.2", variant);
        assert(Number(ageMs) < 2500 / SPEED, `${variant}: ${ageMs}`);
      }
    }
    for (const { variant, opened } of rows.pools) {
      assertEquals(of(rows.resolutions, variant as string).length, opened, `${variant}`);
    }
    const seen = new Map(rows.visits.map(({ id, address, clientPort }) => [id, `${address} ${clientPort}`]));
    for (const { id, address, clientPort } of rows.requests.filter(({ id }) => id !== null)) {
      assertEquals(seen.get(id!), `${address} ${clientPort}`);
    }
  });
}

Deno.test("measure() of sweep opens all connections at first, and each anew after its lifetime", async () => {
  const { rows } = await measured({
    ...{ part: "sweep", connections: 8, lifetime: "200ms", sweepJitters: [0, 0.5] },
    ...{ sweepLifetimes: ["50ms"], rounds: 2 },
  });
  for (const jitter of [0, 0.5]) {
    const opened = rows.reconnects.filter((row) => row.jitter === jitter);
    assertEquals(opened.filter(({ first }) => first).length, 8, `${jitter}`);
    assertEquals(new Set(column(opened, "connection")).size, opened.length);
    assertEquals(new Set(column(opened, "failureKind")), new Set([null]));
    assert(opened.length > 8, `${jitter}`);
  }
  const blocks = rows.blocks.map(({ round, variant }) => `${round} ${variant}`);
  assertEquals(blocks.toSorted(), ["1 50ms", "1 none", "2 50ms", "2 none"]);
  for (const { variant, fresh, failed, requests } of rows.blocks) {
    assertEquals(failed, 0);
    assertEquals(Number(fresh) > 0, variant === "50ms", `${variant}`);
    assert(Number(requests) > Number(fresh));
  }
});

Deno.test("measure() that is to stop makes no further request, and tells what it has", async () => {
  const { rows } = await measured({ part: "all", requests: 1000 }, ({ rows, abort }) => {
    const push = rows.requests.push.bind(rows.requests);
    rows.requests.push = (...added: Row[]) => {
      if (added[0]!.variant === "none/busy") abort.abort();
      return push(...added);
    };
  });
  assert(rows.requests.length > 0 && rows.requests.length < 100);
  assertEquals([rows.moves, rows.blocks], [[], []]);
});
