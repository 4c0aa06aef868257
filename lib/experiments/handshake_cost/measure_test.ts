import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { Row } from "../../record/mod.ts";
import { socketTableSupport } from "../../system/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { measure } from "./measure.ts";
import type { Values } from "./params.ts";
import { type Tables, tables } from "./tables.ts";

async function measureTarget(
  target: string,
  values: Partial<Values> = {},
  notes = new RecordingContext<Tables>(tables),
): Promise<RecordingContext<Tables>> {
  await measure({
    ...{ requests: 10, rounds: 2, client: "raw", stack: "node", bodyBytes: 1, watchTimeWait: false },
    target,
    ...values,
  }, notes.context);
  return notes;
}

/** A server in this process, ended with its block. */
function serve(
  handler: () => Response,
  hostname = "127.0.0.1",
): AsyncDisposable & { readonly url: string; readonly port: number } {
  const server = Deno.serve({ hostname, port: 0, onListen: () => {} }, handler);
  const { port } = server.addr;
  return { url: `http://${hostname}:${port}/`, port, [Symbol.asyncDispose]: () => server.shutdown() };
}

const pick = (rows: Row[], variant: string, column: string) =>
  rows.filter((row) => row.variant === variant).map((row) => row[column]);

Deno.test("measure() records every request of a target, round by round, and what its connections left", async () => {
  await using server = serve(() => new Response("mine"));
  const { rows, warnings } = await measureTarget(server.url);
  assertEquals(pick(rows.rounds!, "raw/new", "connections"), [10, 10]);
  assertEquals(pick(rows.rounds!, "raw/shared", "connections"), [1, 1]);
  assertEquals(pick(rows.requests!, "raw/new", "order"), [...Array(10).keys(), ...Array(10).keys()]);
  assertEquals(new Set(pick(rows.requests!, "raw/new", "bodyBytes")), new Set([4]));
  assertEquals(new Set(rows.sockets!.map(({ state }) => state)), new Set(["TIME_WAIT"]));
  assertEquals(warnings, ["loopback"]);
});

// Other systems have no address on loopback but one.
if (Deno.build.os === "linux") {
  Deno.test("measure() does not count other sockets on a port of the same number", async () => {
    await using server = serve(() => new Response("mine"));
    using other = Deno.listen({ hostname: "127.0.0.2", port: server.port });
    using _client = await Deno.connect({ hostname: "127.0.0.2", port: server.port });
    using _accepted = await other.accept();
    const { rows } = await measureTarget(server.url);
    assertEquals(pick(rows.rounds!, "raw/new", "connectionsReason"), [null, null]);
    assertEquals(
      new Set(
        rows.sockets!.flatMap(({ local, peer }) => [local, peer]).filter((end) =>
          `${end}`.includes("127.0.0.2")
        ),
      ),
      new Set(),
    );
    assert(rows.sockets!.length >= 20);
  });
}

Deno.test("measure() records a failed request as a row", async () => {
  let answers = 15;
  await using server = serve(() => {
    if (answers-- > 0) return new Response("mine");
    const broken = new ReadableStream({
      start: (controller) => controller.error(new Error("The pipe burst")),
    });
    return new Response(broken, { headers: { "content-length": "10" } });
  });
  const { rows } = await measureTarget(server.url, { rounds: 1 });
  const kinds = rows.requests!.map(({ failureKind }) => failureKind).filter((kind) => kind !== null);
  const failed = rows.rounds!.reduce((sum, row) => sum + (row.failed as number), 0);
  assert(failed > 0);
  assertEquals(kinds.length, failed);
});

Deno.test("measure() keeps the rows of a round that was interrupted, and counts no such round", async () => {
  const notes = new RecordingContext<Tables>(tables);
  let answers = 0;
  await using server = serve(() => {
    // The knock and the warm-up are 21 requests.
    if (++answers === 26) notes.abort.abort();
    return new Response("mine");
  });
  await measureTarget(server.url, { client: "raw", rounds: 1 }, notes);
  assertEquals(notes.rows.requests!.length, 5);
  assertEquals(notes.rows.rounds, []);
});

Deno.test("measure() warns of a target that answers with another status than success", async () => {
  await using server = serve(() => new Response(null, { status: 302, headers: { location: "/" } }));
  assertEquals((await measureTarget(server.url, { rounds: 1 })).warnings, ["target-status", "loopback"]);
});

Deno.test("measure() refuses a target that takes no connection, and records nothing", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const notes = new RecordingContext<Tables>(tables);
  await assertRejects(
    () => measureTarget(`http://127.0.0.1:${port}/`, {}, notes),
    Error,
    "takes no connection",
  );
  assertEquals(notes.rows.requests, []);
});

/** A server that answers so many requests on a connection and then ends it; it announces that, or does not. */
async function ending(
  after: number,
  announced = "",
): Promise<AsyncDisposable & { url: string; accepted(): number }> {
  let accepted = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    accepted++;
    let answers = 0;
    sockets.add(socket);
    socket.on("error", () => {/* the client's request met the end */});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", () => {
      if (++answers > after) return;
      const answer = `HTTP/1.1 200 OK\r\n${announced}content-length: 2\r\n\r\nok`;
      if (answers === after) socket.end(answer);
      else socket.write(answer);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`,
    accepted: () => accepted,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const ENDINGS: readonly [what: string, after: number, announced: string][] = [
  ["after each answer, unannounced", 1, ""],
  ["after the second answer, unannounced", 2, ""],
  ["after each answer, announced", 1, "connection: close\r\n"],
];

for (const [what, after, announced] of ENDINGS) {
  Deno.test(`measure() takes no connection of fetch for a kept one that a target ends ${what}`, async () => {
    await using server = await ending(after, announced);
    const { rows } = await measureTarget(server.url, { client: "fetch", requests: 4 });
    for (const round of rows.rounds!.filter(({ variant }) => variant === "fetch/shared")) {
      if (round.failed as number > 0) continue;
      assertNotEquals(round.connections, 1);
      assertEquals(round.connections === null, round.connectionsReason !== null);
    }
  });
}

Deno.test("measure() sees that fetch kept its connection to a target, where the table can be read", async () => {
  await using server = serve(() => new Response("mine"));
  const { rows } = await measureTarget(server.url, { client: "fetch" });
  const expected = socketTableSupport().available ? 1 : null;
  assertEquals(pick(rows.rounds!, "fetch/shared", "connections"), [expected, expected]);
});
