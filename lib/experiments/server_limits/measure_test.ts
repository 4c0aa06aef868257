import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { MisuseError, resolveParams, type Row } from "../../record/mod.ts";
import { ServerProcess } from "../../testing/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import type { ServerSpec } from "../contract.ts";
import { ServerEnds } from "../server_ends.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { type Tables, tables } from "./tables.ts";

const ORIGIN = new URL("../../../servers/origin.ts", import.meta.url);

function valuesOf(given: Record<string, unknown>): Values {
  return resolveParams(params, given).values;
}

function serversOf(values: Values): readonly ServerSpec[] {
  return experiment.servers!(values);
}

/** A run in this process, against servers as the experiment wants them. */
async function measured(
  given: Record<string, unknown>,
  during: (notes: RecordingContext<Tables>, ends: ServerEnds) => void = () => {},
): Promise<RecordingContext<Tables>> {
  const values = valuesOf(given);
  await using started = new AsyncDisposableStack();
  const specs = serversOf(values);
  const servers = Object.fromEntries(
    await Promise.all(specs.map(async ({ as, flags }) => {
      const server = await ServerProcess.start(ORIGIN, { flags: flags as string[] });
      return [as, started.use(server).announcement];
    })),
  );
  const ends = new ServerEnds(specs.map(({ as }) => as!));
  const notes = new RecordingContext<Tables>(tables, { servers, ends });
  during(notes, ends);
  await experiment.measure(values, notes.context);
  return notes;
}

function pick(rows: readonly Row[], variant: string, column: string): unknown[] {
  return rows.filter((row) => row.variant === variant).map((row) => row[column]);
}

/** The last look at a moment. */
function last(rows: readonly Row[], variant: string, moment: string): Row {
  return rows.findLast((row) => row.variant === variant && row.moment === moment)!;
}

/** Does something when a server is first looked at in a moment. */
function atFirst({ context, rows }: RecordingContext<Tables>, moment: string, act: () => void): void {
  const { emit } = context;
  const isFirst = () => rows.readings.filter((row) => row.moment === moment).length === 1;
  const watching: typeof emit = (table, row) => {
    emit(table, row);
    if ((row as Row).moment === moment && isFirst()) act();
  };
  Object.assign(context, { emit: watching });
}

// The kernel's table, and sockets without a runtime between, are Linux's.
if (Deno.build.os === "linux") {
  Deno.test("idle: client, kernel and server count the same connections before, during and after", async () => {
    const { rows, warnings } = await measured({ connections: 30, duration: "100ms" });
    assertEquals(pick(rows.arms, "epoll", "opened"), [30]);
    const counts = ({ open, accepted, active, inFlight, atServer, atClient }: Row) => //
    [open, accepted, active, inFlight, atServer, atClient];
    assertEquals(counts(last(rows.readings, "epoll", "before")), [0, 1, 1, 1, 0, 0]);
    assertEquals(counts(last(rows.readings, "epoll", "held")), [30, 31, 31, 1, 30, 30]);
    assertEquals(counts(last(rows.readings, "epoll", "watched")), [30, 31, 31, 1, 30, 30]);
    assertEquals(counts(last(rows.readings, "epoll", "after")).slice(-2), [0, 0]);
    const sizes = rows.readings.filter(({ variant, moment }) => variant === "epoll" && moment === "held");
    assertEquals(new Set(sizes.map(({ open }) => open)), new Set([10, 20, 30]));
    assert(sizes.every(({ rssBytes, cpuMs }) => (rssBytes as number) > 1e6 && (cpuMs as number) > 0));
    assertEquals(pick(rows.connections, "epoll", "status"), Array(30).fill(200));
    // What a pool does with its requests is its own affair, but for those that are made at once.
    assertEquals(last(rows.readings, "fetch-at-once", "held").atClient, 30);
    assertEquals(warnings, ["loopback"]);
  });

  Deno.test("slow: every request is in flight at once, and every one is answered", async () => {
    const { rows } = await measured({ mode: "slow", connections: 20, duration: "300ms", client: "raw" });
    assertEquals(last(rows.readings, "raw", "held").inFlight, 21);
    assertEquals(pick(rows.connections, "raw", "status"), Array(20).fill(200));
    assertEquals(pick(rows.connections, "raw", "failureKind"), Array(20).fill(null));
  });

  Deno.test("slowloris: with a header timeout all are reclaimed, without one none, and defaults are told", async () => {
    const { rows } = await measured({
      ...{ mode: "slowloris", connections: 10, duration: "0s", headerTimeout: "300ms", drip: "100ms" },
    });
    const reclaimed = (variant: string) =>
      pick(rows.connections, variant, "closedMs").filter((closedMs) => closedMs !== null).length;
    assertEquals(["no-timeout", "timeout", "timeout-drip"].map(reclaimed), [0, 10, 10]);
    assertEquals(pick(rows.arms, "timeout", "headerTimeoutMs"), [300]);
    assertEquals(pick(rows.arms, "timeout", "checkingMs"), [30]);
    assertEquals(pick(rows.arms, "no-timeout", "checkingMs"), [null]);
    const header = rows.defaults.filter(({ limit }) => limit === "whole header");
    assertEquals(
      new Set(header.map(({ stack, setting, isOff, closedMs }) => [stack, setting, isOff, closedMs].join())),
      new Set(["node,headersTimeout,false,", "deno,,,"]),
    );
    assert(header.some(({ stack, heldMs }) => stack === "deno" && heldMs !== null));
  });

  Deno.test("a run that is stopped keeps what it has, and opens nothing more", async () => {
    const { rows } = await measured({ connections: 30, duration: "1h" }, (notes) => {
      atFirst(notes, "watched", () => notes.abort.abort());
    });
    assertEquals(pick(rows.arms, "epoll", "opened"), [30]);
    assertEquals(pick(rows.arms, "fetch", "opened"), []);
  });

  Deno.test("slow requests to a server that answers at once are told as such, others are not", async () => {
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(),
    );
    const target = `http://127.0.0.1:${server.addr.port}/`;
    const warningsOf = async (given: Record<string, unknown>) =>
      (await measured({ mode: "slow", connections: 4, duration: "300ms", ...given })).warnings;
    // On a busy machine an answer may be late, and then something did wait.
    let seen = false;
    for (let tries = 0; tries < 10 && !seen; tries++) {
      seen = (await warningsOf({ target })).includes("nothing-waited");
    }
    assert(seen);
    assert(!(await warningsOf({})).includes("nothing-waited"));
  });

  Deno.test("a server that ends by itself is told with what it said, and the rest is kept", async () => {
    const { rows, warnings } = await measured(
      { mode: "slow", connections: 3, duration: "1s" },
      (notes, ends) => {
        const said = ["error: Uncaught Too many open files", "    at listen", ""];
        atFirst(notes, "watched", () => ends.take("epoll-1", { code: 1, signal: null, said, atMs: 0 }));
      },
    );
    assertEquals(pick(rows.arms, "epoll", "serverEnd"), [
      "exit status 1: error: Uncaught Too many open files",
    ]);
    assertEquals(rows.connections.length, 3);
    assertEquals(warnings, ["loopback", "server-ended"]);
  });

  Deno.test("an arm whose server has ended is not begun, and the others are measured", async () => {
    const { rows, warnings } = await measured({ connections: 6, duration: "0s" }, (_, ends) => {
      ends.take("fetch-1", { code: 1, signal: "SIGKILL", said: [], atMs: 0 });
    });
    const outcome = (variant: string) =>
      pick(rows.arms, variant, "givenUp").concat(pick(rows.arms, variant, "begun"));
    assertEquals(["epoll", "fetch", "fetch-at-once"].map(outcome), [
      ...[[null, 6], ["Not begun: Server fetch-1 ended (SIGKILL)", 0], [null, 6]],
    ]);
    assertEquals(warnings, ["loopback", "server-ended"]);
  });

  Deno.test("throughput: whose the processors were is told, and a server that ends ends its arm", async () => {
    const { rows, warnings } = await measured(
      { mode: "throughput", path: "/static", connections: 4, duration: "100ms" },
      (notes, ends) => {
        const end = { code: 1, signal: null, said: [], atMs: 0 };
        atFirst(notes, "after", () => ends.take("workers-1-1", end));
      },
    );
    assertEquals(rows.rates.map(({ variant }) => variant), ["/static, 1 worker, 1 connection"]);
    const [{ serverCpuShare, freeCpuShare, otherCpuShare }] = rows.rates as [Row];
    for (const share of [serverCpuShare, freeCpuShare, otherCpuShare]) assert(typeof share === "number");
    assert(warnings.includes("server-ended"));
  });

  Deno.test("a target tells nothing of itself, and that is said", async () => {
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(),
    );
    const target = `http://127.0.0.1:${server.addr.port}/`;
    const { rows } = await measured({ target, connections: 6, duration: "0s" });
    const { active, atServer, reason, rssBytes } = last(rows.readings, "epoll", "held");
    assertEquals([active, atServer, rssBytes, reason], [
      ...[null, 6, null, "Only a server of the lab tells its counts"],
    ]);
  });
}

Deno.test("a target that takes no connection is refused before anything is measured", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  await assertRejects(() => measured({ target: `http://127.0.0.1:${port}/` }), Error, "takes no connection");
});

Deno.test("each arm has servers of its own, as many as there are shards, with the limits that it is to have", () => {
  const specs = serversOf(valuesOf({ mode: "slowloris", shards: 2, connections: 101, headerTimeout: "3s" }));
  const named = (name: string) => specs.filter((spec) => spec.name === name);
  assertEquals(named("shard").map(({ as }) => as), ["shard-1", "shard-2"]);
  assertEquals(named("origin").map(({ as }) => as).slice(0, 4), [
    ...["no-timeout-1", "no-timeout-2", "timeout-1", "timeout-2"],
  ]);
  const flags = (as: string) => (specs.find((spec) => spec.as === as)!.flags as string[]).join(" ");
  assertEquals(flags("no-timeout-1"), "--stack node --ports 1");
  assertEquals(flags("timeout-1"), "--stack node --ports 1 --header-timeout 3000ms");
});

Deno.test("the budget has time for every batch of connections that opens for as long as it may", () => {
  const budgetMs = (timeout: string) =>
    experiment.budgetMs(valuesOf({ mode: "slow", connections: 1280, timeout }));
  assertEquals(budgetMs("20s") - budgetMs("10s"), 10 * 10_000);
});

Deno.test("a server with descriptors of its own needs no more than it has, and calls the C library", () => {
  const [spec] = serversOf(valuesOf({ mode: "slow", serverFds: 50, serverWorkers: 2 }));
  assertEquals([spec!.descriptors, spec!.libc, spec!.threads, spec!.mayEnd], [50, true, true, true]);
});

Deno.test("a client with descriptors of its own is a process of its own, so that the measuring one can look", () => {
  const values = valuesOf({ mode: "slow", connections: 1000, clientFds: 100 });
  const [shard, ...others] = serversOf(values).filter(({ name }) => name === "shard");
  assertEquals([shard!.flags, shard!.descriptors, others], [["--fds", "100"], 100, []]);
  assert(experiment.descriptors!(values) < 100);
});

for (
  const [given, message] of [
    [{ mode: "slowloris", target: "http://127.0.0.1:1/" }, "--target runs already"],
    [{ mode: "slowloris", client: "fetch" }, "fetch sends no half headers"],
    [{ mode: "slowloris", drip: "3s", headerTimeout: "3s" }, "--drip must be below --header-timeout"],
    [{ target: "http://example.org/" }, "not loopback"],
    [{ target: "http://127.0.0.1:1/", serverCommand: "nginx", serverPort: 1 }, "both --server-command and"],
    [{ serverCommand: "nginx" }, "need each other"],
    [{ serverPort: 80 }, "need each other"],
    [{ idleTimeout: "1s", stack: "deno" }, "Deno.serve has no such limit"],
    [{ maxConnections: 1, target: "http://127.0.0.1:1/" }, "only the lab's own server takes it"],
    [{ serverFds: 39 }, "--server-fds must be 0 or >= 40: current value is 39"],
    [{ serverFds: 55, serverWorkers: 2 }, "--server-fds must be 0 or >= 56: current value is 55"],
    [{ clientFds: 10 }, "--client-fds must be 0 or >= 64"],
    [{ serverWorkers: 2, target: "http://127.0.0.1:1/" }, "only the lab's own server takes it"],
  ] as const
) {
  Deno.test(`server-limits refuses ${JSON.stringify(given)}`, () => {
    assertThrows(() => experiment.needs!(valuesOf(given)), MisuseError, message);
  });
}
