import {
  assert,
  assertEquals,
  assertGreater,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { type Announcement, type ServerEnd, ServerProcess, until } from "../lib/testing/mod.ts";
import { connectTcp, openClient } from "../lib/transport/mod.ts";
import { STACKS } from "./origin/counters.ts";

const SCRIPT = new URL("./origin.ts", import.meta.url);
const HOSTNAME = "127.0.0.1";

interface Stats {
  readonly stack: string;
  readonly port: number | null;
  readonly requests: number;
  readonly accepted: number | null;
  readonly active: number | null;
  readonly refused: number | null;
  readonly inFlight: number;
  readonly clientPorts: number;
  readonly handshakes: null;
  readonly protocols: readonly string[];
  readonly memory: { readonly rssBytes: number; readonly heapUsedBytes: number };
  readonly eventLoopDelayMs: number;
  readonly brakes: Readonly<Record<string, number | null>>;
  readonly defaults: Readonly<Record<string, number | null>> | null;
  readonly workers: readonly unknown[];
  readonly reasons: Readonly<Record<string, string>>;
}

/** An origin in a process of its own, and what is asked of it. */
class Origin implements AsyncDisposable {
  readonly announcement: Announcement;
  readonly #process: ServerProcess;

  private constructor(process: ServerProcess) {
    this.#process = process;
    this.announcement = process.announcement;
  }

  static async start(...flags: string[]): Promise<Origin> {
    return new Origin(await ServerProcess.start(SCRIPT, { flags }));
  }

  get port(): number {
    return this.announcement.port;
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://${HOSTNAME}:${this.port}${path}`, init);
  }

  async json<T>(path: string): Promise<T> {
    const response = await this.fetch(path);
    assertEquals(response.status, 200);
    return await response.json();
  }

  stats(port?: number): Promise<Stats> {
    return this.json(port === undefined ? "/stats" : `/stats?port=${port}`);
  }

  /** Asks for counts until they are as they should be. */
  until(condition: (stats: Stats) => boolean, port?: number): Promise<Stats> {
    return until(async () => {
      const stats = await this.stats(port);
      return condition(stats) && stats;
    });
  }

  end(...lines: string[]): Promise<ServerEnd> {
    return this.#process.end(...lines);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

for (const stack of STACKS) {
  const start = (...flags: string[]) => Origin.start("--stack", stack, ...flags);
  const counted = (count: number) => stack === "node" ? count : null;

  Deno.test(`origin on ${stack} announces itself and ends at a stop line, with status 0`, async () => {
    await using origin = await start();
    const { hostname, port, ports, pid } = origin.announcement;
    assertEquals([hostname, ports], [HOSTNAME, []]);
    assertNotEquals(pid, Deno.pid);
    assertGreater(port, 0);
    assertEquals(await origin.end("hello", "stop"), { code: 0, output: "", complaints: "" });
  });

  Deno.test(`origin on ${stack} ends at the end of its input, a request in flight or not`, async () => {
    await using origin = await start();
    using connection = await connectTcp({ hostname: HOSTNAME, port: origin.port });
    await connection.writeAll(new TextEncoder().encode("GET /sleep?ms=3600000 HTTP/1.1\r\nhost: a\r\n\r\n"));
    await origin.until(({ inFlight }) => inFlight === 2);
    assertEquals((await origin.end()).code, 0);
  });

  Deno.test(`origin on ${stack} gives a body of the size that is asked for`, async () => {
    await using origin = await start();
    for (
      const [path, bytes] of [["/static", 64], ["/static?bytes=0", 0], [
        "/static?bytes=100000",
        100_000,
      ]] as const
    ) {
      const response = await origin.fetch(path);
      const body = await response.bytes();
      assertEquals([response.status, response.headers.get("content-length")], [200, `${bytes}`]);
      assertEquals([body.length, body.every((byte) => byte === body[0])], [bytes, true]);
    }
    assertEquals((await (await origin.fetch("/static?bytes=67108864")).bytes()).length, 67_108_864);
  });

  Deno.test(`origin on ${stack} answers HEAD without a body and takes the body of a POST`, async () => {
    await using origin = await start();
    using client = openClient("raw/shared", { hostname: HOSTNAME, port: origin.port }, {
      path: "/static?bytes=5",
    });
    const made = [
      await client.request({ method: "HEAD" }),
      await client.request(),
      await client.request({ method: "POST" }),
    ];
    assertEquals(made.map(({ failure }) => failure), [null, null, null]);
    assertEquals(made.map(({ bodyBytes }) => bodyBytes), [0, 5, 5]);
    assertEquals(client.connections, 1);
    const body = new Uint8Array(1_000_000);
    for (let turn = 0; turn < 2; turn++) {
      const response = await origin.fetch("/static?bytes=3", { method: "POST", body });
      assertEquals([response.status, (await response.bytes()).length], [200, 3]);
    }
  });

  Deno.test(`origin on ${stack} computes as much as is asked for`, async () => {
    await using origin = await start();
    const [once, twice] = [await origin.json("/compute"), await origin.json("/compute?difficulty=2")];
    assertEquals(once, {
      difficulty: 1,
      iterations: 200_000,
      checksum: (once as { checksum: number }).checksum,
    });
    assertEquals((twice as { iterations: number }).iterations, 400_000);
  });

  Deno.test(`origin on ${stack} tells connections apart`, async () => {
    await using origin = await start("--ports", "1");
    const target = { hostname: HOSTNAME, port: origin.announcement.ports[0]! };
    using kept = await connectTcp(target);
    using other = await connectTcp(target);
    const ask = async (connection: typeof kept) => {
      await connection.writeAll(new TextEncoder().encode("GET /conn HTTP/1.1\r\nhost: a\r\n\r\n"));
      const buffer = new Uint8Array(4096);
      const size = await connection.read(buffer);
      return JSON.parse(new TextDecoder().decode(buffer.subarray(0, size ?? 0)).split("\r\n\r\n")[1]!);
    };
    const by = stack === "node" ? "connection event" : "client port";
    const protocol = "http/1.1";
    assertEquals(await ask(kept), { connection: 1, by, clientPort: kept.localPort, protocol });
    assertEquals(await ask(other), { connection: 2, by, clientPort: other.localPort, protocol });
    assertEquals(await ask(kept), { connection: 1, by, clientPort: kept.localPort, protocol });
  });

  Deno.test(`origin on ${stack} records visits at any port, in order of arrival`, async () => {
    await using origin = await start("--ports", "1");
    const [port] = origin.announcement.ports as [number];
    using kept = openClient("raw/shared", { hostname: HOSTNAME, port });
    using other = openClient("raw/shared", { hostname: HOSTNAME, port: origin.port });
    const made = [
      await kept.request({ path: "/visit?id=7" }),
      await other.request({ path: "/visit?id=0", method: "POST" }),
      await kept.request({ path: "/visit?id=7" }),
    ];
    const visits = await origin.json<{ atMs: number }[]>("/visits");
    assertEquals(visits.map(({ atMs: _, ...visit }) => visit), [
      { id: 7, method: "GET", connection: 1, clientPort: made[0]!.localPort },
      { id: 0, method: "POST", connection: 1, clientPort: made[1]!.localPort },
      { id: 7, method: "GET", connection: 1, clientPort: made[0]!.localPort },
    ]);
    const times = visits.map(({ atMs }) => atMs);
    assertEquals(times, times.toSorted((a, b) => a - b));
  });

  Deno.test(`origin on ${stack} counts requests and connections of each of 44 further ports apart`, async () => {
    await using origin = await start("--ports", "44");
    const { port, ports } = origin.announcement;
    assertEquals(new Set([port, ...ports]).size, 45);
    for (const [index, port] of ports.entries()) {
      using client = openClient(index % 2 === 0 ? "raw/new" : "raw/shared", { hostname: HOSTNAME, port });
      for (let request = 0; request < 3; request++) await client.request({ path: "/static" });
    }
    for (const [index, port] of ports.entries()) {
      const connections = index % 2 === 0 ? 3 : 1;
      const { memory, reasons, eventLoopDelayMs, brakes, defaults, workers, ...counts } = await origin.until(
        ({ active }) => !active,
        port,
      );
      assertEquals(counts, {
        stack,
        port,
        requests: 3,
        accepted: counted(connections),
        active: counted(0),
        refused: counted(0),
        inFlight: 0,
        clientPorts: connections,
        handshakes: null,
        protocols: ["http/1.1"],
      });
      assertGreater(memory.rssBytes, memory.heapUsedBytes);
      assertGreater(memory.heapUsedBytes, 0);
      assertEquals(
        Object.keys(reasons),
        stack === "node" ? ["handshakes"] : ["accepted", "active", "refused", "handshakes", "defaults"],
      );
      assertEquals([eventLoopDelayMs >= 0, workers.length], [true, 1]);
      assertEquals(Object.values(brakes).filter((brake) => brake !== null), []);
      assertEquals(typeof defaults?.headerTimeoutMs, stack === "node" ? "number" : "undefined");
    }
    const all = await origin.stats();
    assertEquals([all.port, all.clientPorts > 22 * 4, all.requests > 44 * 3], [null, true, true]);
    assertEquals(all.inFlight, 1);
  });

  Deno.test(`origin on ${stack} answers after a while, and forgets a client that leaves`, async () => {
    await using origin = await start("--ports", "1");
    const [port] = origin.announcement.ports as [number];
    assertEquals(await origin.json("/sleep?ms=20"), { sleptMs: 20 });
    assertEquals(await origin.json("/slow?ms=0"), { sleptMs: 0 });
    const waiting = [];
    for (let client = 0; client < 5; client++) {
      const connection = await connectTcp({ hostname: HOSTNAME, port });
      await connection.writeAll(new TextEncoder().encode("GET /slow?ms=3600000 HTTP/1.1\r\nhost: a\r\n\r\n"));
      waiting.push(connection);
    }
    await origin.until(({ inFlight }) => inFlight === 5, port);
    for (const connection of waiting.splice(0, 3)) connection.close();
    const left = await origin.until(({ inFlight, active }) => inFlight === 2 && (active ?? 2) === 2, port);
    assertEquals([left.requests, left.accepted, left.clientPorts], [5, counted(5), 5]);
    for (const connection of waiting) connection.close();
    await origin.until(({ inFlight, active }) => inFlight === 0 && !active, port);
  });

  Deno.test(`origin on ${stack} refuses what it does not give, and says why`, async () => {
    await using origin = await start();
    for (
      const [path, status, words] of [
        ["/", 404, "/static"],
        ["/statics", 404, "There is no /statics"],
        ["/constructor", 404, "There is no /constructor"],
        [
          "/static?bytes=67108865",
          400,
          "bytes must be a whole number from 0 to 67108864: current value is 67108865",
        ],
        ["/static?bytes=-1", 400, "current value is -1"],
        ["/static?bytes=2,5", 400, "current value is 2,5"],
        ["/static?bytes=", 400, "bytes must be a whole number"],
        ["/static?bytes=1&bytes=x", 400, "current value is x"],
        ["/static?byte=1", 400, "it takes bytes in its query: current name is byte"],
        ["/conn?id=1", 400, "it takes nothing in its query"],
        ["/visit", 400, "it needs id in its query"],
        ["/visit?id=x", 400, "id must be a whole number"],
        ["/compute?difficulty=0", 400, "from 1 to 10000"],
        ["/sleep?ms=1e3", 400, "current value is 1e3"],
        ["/slow?ms=3600001", 400, "from 0 to 3600000"],
        ["/stats?port=0", 400, "from 1 to 65535"],
        ["/stats?port=1", 400, "port 1"],
      ] as const
    ) {
      const response = await origin.fetch(path);
      assertEquals(response.status, status, path);
      assertStringIncludes(await response.text(), words);
    }
    const put = await origin.fetch("/static", { method: "PUT", body: "x" });
    assertEquals([put.status, put.headers.get("allow")], [405, "GET, HEAD, POST"]);
    assertStringIncludes(await put.text(), "PUT");
    assertEquals((await origin.fetch("/static")).status, 200);
  });
}

const run = (flags: readonly string[]) => ServerProcess.run(SCRIPT, flags);

Deno.test("origin listens where it is told to, or says that it cannot", async () => {
  using listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
  for (const stack of STACKS) {
    const taken = await run(["--stack", stack, "--port", `${listener.addr.port}`]);
    assertEquals([taken.code, taken.output], [3, ""]);
    assertStringIncludes(taken.complaints, `Cannot listen on ${HOSTNAME}:${listener.addr.port}`);
    const forbidden = await run(["--stack", stack, "--hostname", "127.0.0.2"]);
    assertEquals([forbidden.code, forbidden.output], [3, ""]);
    assertMatch(forbidden.complaints, /Cannot listen on 127\.0\.0\.2 as .*\n.*--allow-net=127\.0\.0\.2/);
  }
});

Deno.test("origin refuses unknown flags with status 2, and prints its usage", async () => {
  const misused = await run(["--stak", "node"]);
  assertEquals(misused, {
    code: 2,
    output: "",
    complaints: "Cannot start origin as there is no flag --stak: did you mean --stack\n",
  });
  const help = await run(["--help"]);
  assertEquals([help.code, help.complaints], [0, ""]);
  assert(help.output.includes("--ports") && help.output.includes("/compute"));
});
