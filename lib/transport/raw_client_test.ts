import { assertEquals, assertRejects } from "@std/assert";
import { respond } from "../testing/mod.ts";
import type { ClientOptions } from "./client.ts";
import type { Connection } from "./connection.ts";
import { RawClient } from "./raw_client.ts";

const TARGET = { hostname: "example.test", port: 8080 };

/** A connection without a network: answers every request with the same bytes. */
class MemoryConnection implements Connection {
  readonly localPort: number;
  readonly connectMs = 0;
  readonly tlsMs = null;
  readonly protocol = null;
  readonly written: string[] = [];
  closed = 0;
  readonly #answer: Uint8Array;

  constructor(localPort: number, answer = respond("ok")) {
    this.localPort = localPort;
    this.#answer = new TextEncoder().encode(answer);
  }

  read(into: Uint8Array): Promise<number> {
    into.set(this.#answer);
    return Promise.resolve(this.#answer.length);
  }

  writeAll(bytes: Uint8Array): Promise<void> {
    this.written.push(new TextDecoder().decode(bytes));
    return Promise.resolve();
  }

  close(): void {
    this.closed++;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A client over connections in memory, and those that it has opened. */
function clientOf(variant: "raw/new" | "raw/shared", options: ClientOptions = {}, answer?: string) {
  const opened: MemoryConnection[] = [];
  const client = new RawClient(variant, TARGET, () => {
    opened.push(new MemoryConnection(1000 + opened.length, answer));
    return Promise.resolve(opened.at(-1)!);
  }, options);
  return { client, opened };
}

Deno.test("raw/new opens a connection for each request and closes it, whatever carries it", async () => {
  const { client, opened } = clientOf("raw/new", { path: "/a" });
  const made = [await client.request(), await client.request()];
  assertEquals(made.map(({ localPort, connection }) => [localPort, connection]), [[1000, 1], [1001, 2]]);
  assertEquals(opened.map(({ closed }) => closed), [1, 1]);
  assertEquals(opened.map(({ written }) => written.length), [1, 1]);
  assertEquals(opened[0]!.written[0]!.split("\r\n").slice(0, 2), [
    "GET /a HTTP/1.1",
    "host: example.test:8080",
  ]);
});

Deno.test("raw/shared keeps a connection until the server closes, or the client", async () => {
  const { client, opened } = clientOf("raw/shared");
  await client.request();
  await client.request();
  assertEquals([opened.length, opened[0]!.closed, opened[0]!.written.length], [1, 0, 2]);
  client.close();
  assertEquals(opened[0]!.closed > 0, true);
  const closing = clientOf("raw/shared", {}, respond("ok", "connection: close\r\n"));
  await closing.client.request();
  await closing.client.request();
  assertEquals(closing.opened.map(({ closed }) => closed), [1, 1]);
});

Deno.test("what a connector throws is a failure of connecting, and is not counted as a connection", async () => {
  const client = new RawClient("raw/shared", TARGET, () => {
    throw new Deno.errors.ConnectionRefused("Connection refused");
  }, {});
  const { failure, connectMs, connection } = await client.request();
  assertEquals(failure, { phase: "connect", kind: "refused", side: "server" });
  assertEquals([typeof connectMs, connection, client.connections], ["number", null, 0]);
});

Deno.test("a connector is told when the time is up, and a connection that comes too late is closed", async () => {
  const late = new MemoryConnection(1);
  const client = new RawClient(
    "raw/shared",
    TARGET,
    (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(late))),
    { timeoutMs: 20 },
  );
  const { failure, connection } = await client.request();
  assertEquals(failure, { phase: "connect", kind: "timed-out", side: "unknown" });
  assertEquals([connection, late.closed, late.written], [null, 1, []]);
});

Deno.test("a connector is told when the client ends", async () => {
  const controller = new AbortController();
  const client = new RawClient(
    "raw/new",
    TARGET,
    (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    {
      signal: controller.signal,
    },
  );
  const pending = client.request();
  controller.abort(new Error("the run is over"));
  await assertRejects(() => pending, Error, "the run is over");
});
