import type { Socket } from "node:net";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { until } from "../../testing/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { outcomes, PATIENCE_MS, probe, type Recorded, VALUES } from "./_probe.ts";
import { OK, ScriptedServer } from "./_scripted_server.ts";
import { measure } from "./measure.ts";
import { tables } from "./tables.ts";

/** Probes what must be refused in the end. */
async function rejected(target: string): Promise<{ message: string; recorded: Recorded }> {
  const recorded = new RecordingContext(tables);
  const { message } = await assertRejects(() => measure({ ...VALUES, target }, recorded.context), Error);
  return { message, recorded };
}

const CLOSES: readonly [how: string, end: (socket: Socket) => void][] = [
  ["fin", (socket) => socket.end()],
  ["reset", (socket) => socket.resetAndDestroy()],
  ["answer", (socket) => socket.end("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")],
];

for (const [how, end] of CLOSES) {
  Deno.test(`measure() sees that idle connections are closed (${how}), and asks nothing more`, async () => {
    await using server = await ScriptedServer.serve(({ socket }) => {
      socket.write(OK);
      setTimeout(() => end(socket), 300);
    });
    const recorded = await probe(server.url);
    assertEquals(outcomes(recorded, "asks first"), { [`closed ${how}`]: 4 });
    assertEquals(outcomes(recorded, "fresh"), { answered: 1 });
    assertEquals(recorded.rows.connections.map(({ failureKind }) => failureKind), Array(9).fill(null));
    assert(server.heads.length <= server.accepted);
    const { host } = new URL(server.url);
    assertEquals([...new Set(server.heads)], [`GET /some/path?x=1 HTTP/1.1\r\nhost: ${host}\r\n\r\n`]);
    assertEquals(recorded.warnings, ["loopback"]);
  });
}

Deno.test("measure() closes in on a limit that does not show, with one request a connection", async () => {
  const limitMs = 600;
  const requests = new Map<number, number>();
  await using server = await ScriptedServer.serve(({ socket, connection, idleMs }) => {
    requests.set(connection, (requests.get(connection) ?? 0) + 1);
    if (idleMs < limitMs) socket.write(OK);
    else socket.resetAndDestroy();
  });
  const recorded = await probe(server.url, { budget: 4000 });
  const waiting = recorded.rows.connections.filter(({ role }) => role === "waits first");
  const times = (outcome: string) =>
    waiting.filter((row) => row.round === 1 && row.outcome === outcome).map(({ idleMs }) => idleMs as number);
  // A bisection: what one round brackets, the next divides.
  const [low, high] = [Math.max(...times("answered")), Math.min(...times("lost"))];
  const next = waiting.filter(({ round }) => round === 2).map(({ pauseMs }) => pauseMs as number);
  assert(
    next.length > 0 && next.every((pauseMs) => low < pauseMs && pauseMs < high),
    `${low} ${next} ${high}`,
  );
  // Every loss is held against a fresh connection, and so is the whole at its end.
  const losses = waiting.filter(({ outcome }) => outcome === "lost").length;
  assertEquals(outcomes(recorded, "fresh"), { answered: losses + 1 });
  assertEquals(outcomes(recorded, "asks first"), { open: 4 });
  assertEquals(new Set(requests.values()), new Set([1]));
});

Deno.test("measure() tells a server that answers nobody any more from one that forgets idle connections", async () => {
  await using server = await ScriptedServer.serve(({ socket, connection }) => {
    if (connection <= 4) socket.write(OK);
  });
  const { message, recorded } = await rejected(server.url);
  assertMatch(message, /^Cannot tell the idle limit of .* gives no answer \(timed-out\)/);
  assertEquals(Object.keys(outcomes(recorded, "fresh")), ["failed"]);
  assertEquals(outcomes(recorded, "waits first").lost, undefined);
});

const DEATHS: readonly [how: string, die: (server: ScriptedServer) => void][] = [
  ["dies", (server) => server.stop((socket) => socket.resetAndDestroy())],
  ["shuts down", (server) => server.stop((socket) => socket.end())],
  ["takes no more connections, and keeps those that it has", (server) => server.stop(() => {})],
];

for (const [how, die] of DEATHS) {
  Deno.test(`measure() books no idle limit to a server that ${how} during the probe`, async () => {
    await using server = await ScriptedServer.serve(({ socket, connection }) => {
      socket.write(OK);
      if (connection === 4) setTimeout(() => die(server), 100);
    });
    const { message, recorded } = await rejected(server.url);
    assertMatch(
      message,
      /^Cannot tell the idle limit of .* as the server answers no more.*takes no connection \(refused\): /,
    );
    assertEquals(recorded.rows.connections.at(-1)!.outcome, "failed");
  });
}

Deno.test("measure() ends within its budget when a server never closes", async () => {
  await using server = await ScriptedServer.serve(({ socket }) => void socket.write(OK));
  const start = performance.now();
  const recorded = await probe(server.url);
  assert(performance.now() - start < PATIENCE_MS);
  assertEquals(outcomes(recorded, "asks first"), { open: 4 });
  assertEquals(outcomes(recorded, "waits first"), { answered: 4 });
});

Deno.test("measure() waits for no limit where every answer announces the close", async () => {
  await using server = await ScriptedServer.serve(({ socket }) =>
    void socket.end(OK.replace("\r\n", "\r\nconnection: close\r\n"))
  );
  const recorded = await probe(server.url, { budget: 3_600_000 });
  assertEquals(outcomes(recorded, "asks first"), { "closed fin": 4 });
  assertEquals(recorded.rows.connections.map(({ announcedClose }) => announcedClose), Array(5).fill(true));
});

Deno.test("measure() records what is advertised, and sends the Host field that it is given", async () => {
  await using server = await ScriptedServer.serve(({ socket }) =>
    void socket.end(OK.replace("\r\n", "\r\nKeep-Alive: timeout=7\r\n"))
  );
  const recorded = await probe(server.url, { hostHeader: "example.test" });
  assertEquals(recorded.rows.connections.map(({ advertisedMs }) => advertisedMs).slice(0, 4), [
    ...[7000, 7000, 7000, 7000],
  ]);
  assertMatch(server.heads[0]!, /\r\nhost: example\.test\r\n/);
});

Deno.test("measure() goes on with the connections that are answered, and says how many are not", async () => {
  await using server = await ScriptedServer.serve(({ socket, connection }) => {
    if (connection === 1) return socket.destroy();
    socket.write(OK.replace("200 OK", "404 Not Found"));
    setTimeout(() => socket.end(), 100);
  });
  const recorded = await probe(server.url);
  assertEquals(outcomes(recorded, "asks first"), { "closed fin": 3, failed: 1 });
  assertEquals(recorded.warnings, ["loopback", "some-unanswered", "target-status"]);
});

Deno.test("measure() keeps what it saw when it is interrupted, and calls nothing a failure", async () => {
  await using server = await ScriptedServer.serve(({ socket }) => void socket.write(OK));
  const recorded = new RecordingContext(tables);
  const measuring = measure({ ...VALUES, budget: 3_600_000, target: server.url }, recorded.context);
  await until(() => server.accepted === 8);
  recorded.abort.abort();
  await measuring;
  assertEquals(outcomes(recorded, "asks first"), { open: 4 });
  assertEquals(recorded.rows.connections.filter(({ outcome }) => outcome !== "open"), []);
});
