import { assertEquals } from "@std/assert";
import { resolveParams, type Row } from "../../record/mod.ts";
import { ServerProcess } from "../../testing/mod.ts";
import type { ServerHandles } from "../contract.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { measure } from "./measure.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { type Tables, tables } from "./tables.ts";

const SERVERS = new URL("../../../servers/", import.meta.url);

const SMALL = {
  ...{ concurrency: 4, responseTime: "10ms", workers: 4, requestsPerWorker: 3, idlePerHost: 1 },
  ...{ maxConnections: 2 },
};

/** Measures with the servers that the experiment asks for, each with the rights that it has in a run. */
async function measured(
  given: Record<string, unknown>,
  prepare: (notes: RecordingContext<Tables>) => void = () => {},
  onStart: (servers: Record<string, ServerHandles[string]>) => void = () => {},
): Promise<RecordingContext<Tables>> {
  const values = resolveParams(params, { ...SMALL, ...given }).values as Values;
  const made = await experiment.prepare!(values);
  await using stack = new AsyncDisposableStack();
  const servers: Record<string, ServerHandles[string]> = {};
  for (const { name, as = name, flags, net } of experiment.servers!(values)) {
    const script = new URL(`${name}.ts`, SERVERS);
    const own = typeof flags === "function" ? flags(servers) : flags;
    const options = { flags: own, net, told: made.servers?.[as] };
    const server = stack.use(await ServerProcess.start(script, options));
    servers[as] = server.announcement;
    onStart(servers);
  }
  const notes = new RecordingContext(tables, { servers, prepared: made.measure ?? {} });
  prepare(notes);
  await measure(values, notes.context);
  return notes;
}

const of = (rows: readonly Row[], variant: string) => rows.filter((row) => row.variant === variant);
const column = (rows: readonly Row[], name: string) => rows.map((row) => row[name]);

Deno.test("measure() records every request of every arm, and each wave as both ends counted it", async () => {
  const { rows, warnings } = await measured({});
  assertEquals(warnings, ["loopback"]);
  assertEquals(new Set(column(rows.requests, "failureKind")), new Set([null]));
  assertEquals(new Set(column(rows.requests, "status")), new Set([200]));
  const waves = rows.waves.map(({ variant, wave, protocol, requests, received, connections }) =>
    [variant, wave, protocol, requests, received, connections] as const
  );
  const free = Array.from({ length: 5 }, (_, round) => ["idle-cap/1/free", round + 1, "http/1.1", 12, 12]);
  assertEquals(waves.slice(-5).map((wave) => wave.slice(0, 5)), free);
  assertEquals(waves.slice(0, -5), [
    ["http1", 1, "http/1.1", 4, 4, 2],
    ["http2", 1, "h2", 4, 4, 1],
    ["burst/raw", 1, "http/1.1", 4, 4, 4],
    ["burst/raw", 2, "http/1.1", 4, 4, 4],
    ["burst/fetch", 1, "http/1.1", 4, 4, 4],
    ["burst/fetch", 2, "http/1.1", 4, 4, 4],
    ["burst/http2", 1, "h2", 4, 4, 4],
    ["idle-cap/healthy", 1, "http/1.1", 4, 4, 4],
    ["idle-cap/healthy", 2, "http/1.1", 4, 4, 4],
    ["idle-cap/healthy", 3, "http/1.1", 4, 4, 4],
    ["idle-cap/1", 1, "http/1.1", 4, 4, 4],
    ["idle-cap/1", 2, "http/1.1", 4, 4, 7],
    ["idle-cap/1", 3, "http/1.1", 4, 4, 10],
  ]);
  const capped = of(rows.requests, "http1");
  // The first takes the connection that is warm, the second opens one, and the others wait for these.
  assertEquals(column(capped, "reused"), [true, false, true, true]);
  assertEquals(column(capped, "connection").toSorted(), [1, 1, 2, 2]);
  assertEquals(new Set(column(capped, "protocol")), new Set(["http/1.1"]));
  assertEquals(new Set(column(of(rows.requests, "http2"), "queuedMs")), new Set([null]));
  assertEquals(rows.pauses, []);
});

Deno.test("measure() tells what clients do by default, and looks for the idle timeout of fetch when asked", async () => {
  const { rows } = await measured({ protocol: "http1", stack: "deno", observeIdle: "20ms" });
  const told = rows.defaults.map(({ client, setting, value, how }) =>
    `${client}, ${setting}: ${value} ${how}`
  );
  assertEquals(told.filter((line) => !line.includes("connect timeout")), [
    "fetch, lifetime: none observed",
    "fetch, idle timeout: null null",
    "fetch, connections: none observed",
    "fetch, idle connections: none observed",
    "raw, lifetime: none read",
    "raw, idle timeout: none read",
    "raw, connections: none read",
    "raw, idle connections: none read",
  ]);
  assertEquals(told.includes("raw, connect timeout: 30000 read"), true);
  assertEquals(new Set(column(rows.pauses, "reused")), new Set([true]));
  assertEquals(new Set(column(rows.waves, "variant")).has("http2"), false);
});

Deno.test("measure() measures nothing over a protocol that the server does not agree on, and says so", async () => {
  // What should speak HTTP/2 speaks HTTP/1.1 only, and the relay leads to it.
  const { rows } = await measured({}, () => {}, (servers) => {
    if (servers.h2) servers.h2 = servers.tls!;
  });
  const [refused] = of(rows.waves, "http2");
  assertEquals([refused!.requests, refused!.elapsedMs, refused!.connections], [0, null, null]);
  assertEquals(refused!.connectionsReason, "The server agreed on http/1.1, not h2");
  assertEquals(of(rows.requests, "http2"), []);
  assertEquals(of(rows.waves, "http1").length, 1);
});

Deno.test("measure() ends when the run is stopped, without rows of the wave at hand", async () => {
  const { rows } = await measured({ protocol: "http1", responseTime: "60s" }, ({ context, abort }) => {
    const { timed } = context;
    // The first wave has begun.
    const interrupted: typeof timed = (work) => {
      const pending = timed(work);
      abort.abort();
      return pending;
    };
    Object.assign(context, { timed: interrupted });
  });
  assertEquals([rows.requests, rows.waves, rows.defaults], [[], [], []]);
});
