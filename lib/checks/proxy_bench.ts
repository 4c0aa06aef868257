import { readProcessUse } from "../system/mod.ts";
import { ServerProcess } from "../testing/mod.ts";
import { Asked } from "./_asked.ts";
import { ROOT } from "./_deno_command.ts";
import type { LoadAnswer, LoadOrder } from "./_load_bench_client.ts";
import { startNginx } from "./_load_bench_servers.ts";
import { isHere, ownProgram } from "./_programs.ts";
import { type BenchRow, median } from "./bench_row.ts";

const ORIGIN = new URL("servers/origin.ts", ROOT);
const PROXY = new URL("servers/proxy.ts", ROOT);
const FETCH_PROXY = new URL("_fetch_proxy.ts", import.meta.url);
const HOSTNAME = "127.0.0.1";

const CONNECTIONS = 50;
const ROUNDS = 4;
const ROUND_MS = 500;

const BODY_BYTES = 2 ** 30;
const PIECE_BYTES = 2 ** 20;
const SAMPLE_MS = 20;
/** Requests over each connection before an answer is looked at. */
const PIPELINED = 50;
const PIPELINES = 16;
/** After so many requests the code is compiled. */
const WARM_UP = 40_000;
const REQUESTS = 60_000;

const encoder = new TextEncoder();

/** What takes requests, by the names of the arms. */
type Ports = ReadonlyMap<string, number>;

/** All arms round by round, in an order that turns. @returns the rates of each arm, by rounds */
async function rates(ports: Ports): Promise<Map<string, number[]>> {
  const rights = ["--allow-read", `--allow-net=${HOSTNAME}`];
  await using client = new Asked(ownProgram("_load_bench_client.ts", { rights }));
  const found = new Map([...ports.keys()].map((name): [string, number[]] => [name, []]));
  const arms = [...ports];
  // The first round is not counted: it has the code compiled.
  for (let round = 0; round <= ROUNDS; round++) {
    const turn = round % arms.length;
    for (const [name, port] of [...arms.slice(turn), ...arms.slice(0, turn)]) {
      const order: LoadOrder = {
        ...{ kind: "load", client: "epoll", port, path: "/static" },
        ...{ connections: CONNECTIONS, durationMs: ROUND_MS, ratePerSecond: null },
      };
      const { requestsPerSecond }: LoadAnswer = JSON.parse(await client.ask(JSON.stringify(order)));
      if (round > 0) found.get(name)!.push(requestsPerSecond);
    }
  }
  return found;
}

function residentBytes({ announcement: { pid } }: ServerProcess): number {
  return readProcessUse(pid)?.residentBytes ?? NaN;
}

/** Reads a connection until what was asked for has come. @throws {Error} it ends before */
async function discard(socket: Deno.TcpConn, isLast: (bytes: Uint8Array) => boolean): Promise<void> {
  const buffer = new Uint8Array(PIECE_BYTES);
  for (;;) {
    const size = await socket.read(buffer);
    if (size === null) throw new Error("The proxy ended a connection before its time");
    if (isLast(buffer.subarray(0, size))) return;
  }
}

async function writeAll(socket: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await socket.write(bytes.subarray(sent));
}

/** Sends requests over a few connections, many before their answers, so that the client takes little of the time. */
async function passRequests(port: number, requests: number): Promise<void> {
  const batch = encoder.encode(`HEAD /static HTTP/1.1\r\nhost: ${HOSTNAME}\r\n\r\n`.repeat(PIPELINED));
  let left = requests;
  const pipeline = async () => {
    using socket = await Deno.connect({ hostname: HOSTNAME, port });
    while (left > 0) {
      left -= PIPELINED;
      let ends = 0;
      await writeAll(socket, batch);
      // No header of these answers has an H at the beginning of a line.
      let previous = 10;
      await discard(socket, (bytes) => {
        for (const byte of bytes) {
          if (byte === 13 && previous === 10) ends++;
          previous = byte;
        }
        return ends === PIPELINED && previous === 10;
      });
    }
  };
  await Promise.all(Array.from({ length: PIPELINES }, pipeline));
}

/** The memory of a proxy after many requests, over what it was after half of them: the heap grows by steps at first. */
async function requestsRow(proxy: ServerProcess, requests: number): Promise<BenchRow> {
  await passRequests(proxy.port, WARM_UP);
  const first = residentBytes(proxy);
  const startMs = performance.now();
  await passRequests(proxy.port, requests / 2);
  const half = residentBytes(proxy);
  await passRequests(proxy.port, requests / 2);
  const seconds = (performance.now() - startMs) / 1000;
  const last = residentBytes(proxy);
  return {
    name: `memory after ${requests.toLocaleString("en")} requests, over half of them`,
    ratio: last / half,
    target: 1.3,
    direction: "at most",
    note: `${[first, half, last].map(mebibytes).join(", ")} in ${seconds.toFixed(1)} s`,
  };
}

/** A server that answers whatever comes with a large body. */
function serveLargeBody(): Deno.TcpListener {
  const listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
  const serve = async (socket: Deno.TcpConn) => {
    try {
      await socket.read(new Uint8Array(PIECE_BYTES));
      await writeAll(socket, encoder.encode(`HTTP/1.1 200 OK\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`));
      const piece = new Uint8Array(PIECE_BYTES);
      for (let sent = 0; sent < BODY_BYTES; sent += piece.length) await writeAll(socket, piece);
    } finally {
      socket.close();
    }
  };
  (async () => {
    for await (const socket of listener) serve(socket).catch(() => {/* the client sees it */});
  })();
  return listener;
}

/** The most memory of a proxy while a large body passes, over what it was before. */
async function bodyRow(): Promise<BenchRow> {
  using listener = serveLargeBody();
  await using proxy = await ServerProcess.start(PROXY, {
    flags: ["--backend", `${HOSTNAME}:${listener.addr.port}`],
  });
  const pass = async () => {
    using socket = await Deno.connect({ hostname: HOSTNAME, port: proxy.port });
    await writeAll(socket, encoder.encode(`GET / HTTP/1.1\r\nhost: ${HOSTNAME}\r\n\r\n`));
    let [came, headEnd] = [0, -1];
    await discard(socket, (bytes) => {
      // The head comes with the first bytes, and zeros follow it.
      if (headEnd < 0) headEnd = bytes.indexOf(0) < 0 ? bytes.length : bytes.indexOf(0);
      came += bytes.length;
      return came - headEnd === BODY_BYTES;
    });
  };
  await pass();
  const before = residentBytes(proxy);
  let most = before;
  const sampling = setInterval(() => most = Math.max(most, residentBytes(proxy)), SAMPLE_MS);
  const startMs = performance.now();
  await pass();
  const seconds = (performance.now() - startMs) / 1000;
  clearInterval(sampling);
  return {
    name: "memory while 1 GiB passes, over before",
    ratio: most / before,
    target: 1.2,
    direction: "at most",
    note: `${mebibytes(before)} before, ${mebibytes(most)} at most; ${(1 / seconds).toFixed(2)} GiB/s`,
  };
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

/**
 * Compares the proxy with going to its backend directly, with a proxy on `Deno.serve` and `fetch`, and with nginx where
 * that is installed: the same backend and load, in turn, by medians of the ratios of each round. And its memory over
 * many requests, and over a large body.
 *
 * @param requests how many requests its memory is compared over. @default {60,000}
 * @returns the ratios
 */
export async function proxyBench(requests: number = REQUESTS): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  try {
    await using started = new AsyncDisposableStack();
    const start = async (script: URL, ...flags: string[]) =>
      started.use(await ServerProcess.start(script, { flags }));
    const origin = await start(ORIGIN);
    const proxy = await start(PROXY, "--backend", `${HOSTNAME}:${origin.port}`);
    const fetchProxy = await start(FETCH_PROXY, `${origin.port}`);
    const ports = new Map([["direct", origin.port], ["pooled", proxy.port], ["fetch", fetchProxy.port]]);
    if (isHere("nginx")) {
      const nginx = await startNginx(folder, {
        processor: null,
        connections: 4 * CONNECTIONS,
        upstream: origin.port,
      });
      ports.set("nginx", started.use(nginx).port);
    } else console.log("· nginx is not here");
    const found = await rates(ports);
    const over = (name: string) =>
      median(found.get("pooled")!.map((rate, round) => rate / found.get(name)![round]!));
    const note = (name: string) =>
      ["pooled", name].map((arm) => (median(found.get(arm)!) / 1000).toFixed(1)).join(" against ") +
      " thousand a second";
    if (found.has("nginx")) {
      console.log(`· proxy over nginx as a proxy: ${over("nginx").toFixed(2)}, ${note("nginx")}`);
    }
    return [
      {
        ...{ name: "proxy with a pool, over going direct", ratio: over("direct"), target: 0.4 },
        ...{ direction: "at least", note: note("direct") },
      },
      {
        ...{ name: "proxy with a pool, over one on Deno.serve and fetch", ratio: over("fetch"), target: 2 },
        ...{ direction: "at least", note: note("fetch") },
      },
      await requestsRow(proxy, requests),
      await bodyRow(),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
