import {
  connectTcp,
  encodeRequest,
  exchange,
  openClient,
  Pool,
  PooledClient,
  ResponseParser,
} from "../transport/mod.ts";
import { type BenchRow, median } from "./bench_row.ts";

/** What framing and clocks may cost, and what a pool may. */
const CLIENT_TARGET = 1.2;
const POOL_TARGET = 1.05;
const ROUNDS = 100;
const WARM_UP_ROUNDS = 12;
const REQUESTS = 100;

type Loop = () => Promise<unknown>;

async function usPerRequest(loop: Loop): Promise<number> {
  const startMs = performance.now();
  for (let request = 0; request < REQUESTS; request++) await loop();
  return (performance.now() - startMs) / REQUESTS * 1000;
}

/** Runs both in alternating order, round by round, so that what else the machine does meets both. */
async function compare(name: string, target: number, client: Loop, bare: Loop): Promise<BenchRow> {
  const pairs: { client: number; bare: number }[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const first = await usPerRequest(round % 2 === 0 ? client : bare);
    const second = await usPerRequest(round % 2 === 0 ? bare : client);
    const pair = round % 2 === 0 ? { client: first, bare: second } : { client: second, bare: first };
    if (round >= WARM_UP_ROUNDS) pairs.push(pair);
  }
  const ratio = median(pairs.map(({ client, bare }) => client / bare));
  const figures = [median(pairs.map(({ client }) => client)), median(pairs.map(({ bare }) => bare))];
  const note = `${figures.map((us) => us.toFixed(1)).join(" against ")} µs a request`;
  return { name, ratio, target, direction: "at most", note };
}

/**
 * Measures the raw client against the smallest possible loop over `Deno.connect`: connect, write, one read,
 * close; and write and read on a connection that is kept. Measures a pool, with limits and with its watch over
 * idle connections, against connections that are just kept. The server runs in a worker of the same process.
 * Needs `--allow-net=127.0.0.1` and the right to read this folder.
 *
 * @returns the ratio for each kind of connection
 */
export async function transportBench(): Promise<BenchRow[]> {
  const server = new Worker(new URL("./_bench_server.ts", import.meta.url), { type: "module" });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.onmessage = ({ data }) => resolve(data);
      server.onerror = ({ message }) => reject(new Error(`Cannot start server of bench: ${message}`));
    });
    const target = { hostname: "127.0.0.1", port };
    const bytes = encodeRequest({ ...target, method: "GET", path: "/" });
    const buffer = new Uint8Array(65_536);
    const request = { method: "GET", bytes } as const;
    const tools = { buffer, parser: new ResponseParser(), now: () => performance.now() };
    using fresh = openClient("raw/new", target);
    using shared = openClient("raw/shared", target);
    using kept = await Deno.connect(target);
    using connection = await connectTcp(target);
    using pool = new Pool({
      connect: (hostname, { port }, signal) => connectTcp({ hostname, port, signal }),
      lifetimeMs: 60_000,
      idleTimeoutMs: 4000,
      maxPerOrigin: 10,
    });
    using pooled = new PooledClient(pool);
    return [
      await compare(
        "raw/new, request over bare connect loop",
        CLIENT_TARGET,
        () => fresh.request(),
        async () => {
          const socket = await Deno.connect(target);
          await socket.write(bytes);
          await socket.read(buffer);
          socket.close();
        },
      ),
      await compare(
        "raw/shared, request over bare write and read",
        CLIENT_TARGET,
        () => shared.request(),
        async () => {
          await kept.write(bytes);
          await kept.read(buffer);
        },
      ),
      await compare(
        "pool, exchange on a lease over a kept connection",
        POOL_TARGET,
        async () => {
          const lease = await pool.acquire(target);
          const { reusable } = await exchange(lease.connection, request, tools);
          lease.release(reusable);
        },
        () => exchange(connection, request, tools),
      ),
      await compare(
        "pooled client, request over raw/shared request",
        POOL_TARGET,
        () => pooled.request(target),
        () => shared.request(),
      ),
    ];
  } finally {
    server.terminate();
  }
}
