import { recordHere } from "../harness/mod.ts";
import type { Row, RowOf } from "../record/mod.ts";
import { dataDirectory, type RunStart } from "../store/mod.ts";
import {
  allowedProcessors,
  busyShare,
  descriptorLimits,
  readProcessorTimes,
  readSockets,
} from "../system/mod.ts";
import { until } from "../testing/mod.ts";
import { Asked } from "./_asked.ts";
import {
  type Arm,
  CONNECTIONS,
  engineArm,
  loopArm,
  ROUND_MS,
  TOOL_NAMES,
  toolArm,
} from "./_load_bench_arms.ts";
import type { CrowdAnswer, CrowdOrder, LoadAnswer, LoadOrder } from "./_load_bench_client.ts";
import { type BenchServer, startFixed, startNginx } from "./_load_bench_servers.ts";
import { benchRows, type BenchTables, summarize, TABLES, warningsOf } from "./_load_bench_summary.ts";
import { compile, isHere, ownProgram, pinned } from "./_programs.ts";
import type { BenchRow } from "./bench_row.ts";

/** Where clients run, and where servers: each on a processor of its own, where the system can pin and has two. */
const [CLIENT_PROCESSOR, SERVER_PROCESSOR] = processors();

/** Rounds of every client against a server: fewer where the server is the limit. */
const ROUNDS: Readonly<Record<string, number>> = { C: 3, nginx: 2 };
const RATE_PER_SECOND = 20_000;
const OPEN_LOOP_MS = 2500;
const OPEN_LOOPS = 2;
const CROWD = 15_000;
const SMALL_CROWD = 1000;
const CROWDS = 3;
/** Connections that may be opening at once. */
const BURST = 64;
/** Descriptors that a process has besides its connections. */
const OTHER_DESCRIPTORS = 200;
/** nginx closes connections that are kept when less than a sixteenth of all is free. Source: `ngx_drain_connections`. */
const NGINX_SHARE = 0.9;

function processors(): readonly [number, number] | readonly [null, null] {
  const [first, second] = allowedProcessors();
  return isHere("taskset") && first !== undefined && second !== undefined ? [first, second] : [null, null];
}

type Emit = <T extends keyof typeof TABLES>(table: T, row: RowOf<(typeof TABLES)[T]>) => void;

function clientProgram(processor: number | null): Asked {
  const rights = ["--allow-read", "--allow-net=127.0.0.1"];
  return new Asked(pinned(processor, ownProgram("_load_bench_client.ts", { rights })));
}

/** One round of one client, with how busy both processors were meanwhile. */
async function round(server: string, port: number, arm: Arm, number: number, emit: Emit): Promise<void> {
  const before = readProcessorTimes();
  const answer = await arm.round(port);
  const after = readProcessorTimes();
  const busy = (processor: number | null) =>
    processor === null ? null : busyShare([before[processor]!], [after[processor]!]);
  emit("rates", {
    server,
    client: arm.name,
    round: number,
    ...answer,
    clientBusy: busy(CLIENT_PROCESSOR),
    serverBusy: busy(SERVER_PROCESSOR),
  });
}

/** All clients round by round, in an order that turns, so that what else the machine does meets all of them. */
async function closedLoops(
  servers: ReadonlyMap<string, BenchServer>,
  arms: readonly Arm[],
  emit: Emit,
): Promise<void> {
  for (let number = 0; number < Math.max(...Object.values(ROUNDS)); number++) {
    const turn = number % arms.length;
    for (const [server, { port }] of servers) {
      if (number >= ROUNDS[server]!) continue;
      for (const arm of [...arms.slice(turn), ...arms.slice(0, turn)]) {
        await round(server, port, arm, number, emit);
      }
    }
  }
}

/** Where the system likes, as in use: on one processor alone the compiler of its code makes the engine wait. */
async function openLoops({ port }: BenchServer, emit: Emit): Promise<void> {
  await using program = clientProgram(null);
  const order: LoadOrder = {
    kind: "load",
    client: "epoll",
    port,
    connections: CONNECTIONS,
    durationMs: OPEN_LOOP_MS,
    ratePerSecond: RATE_PER_SECOND,
  };
  for (let number = 0; number < OPEN_LOOPS; number++) {
    const answer: LoadAnswer = JSON.parse(await program.ask(JSON.stringify(order)));
    emit("lateness", { round: number, ...answer });
  }
}

/** Waits until a server has dealt with the end of a crowd: what it still holds counts against the next one. */
async function empty({ port }: BenchServer): Promise<void> {
  const states = new Set(["ESTABLISHED", "CLOSE_WAIT"] as const);
  await until(() => readSockets({ ports: new Set([port]), states }).length === 0);
}

/** Each crowd has a process of its own, so that its memory is not another's that was freed. */
async function openCrowd({ port }: BenchServer, connections: number): Promise<CrowdAnswer> {
  await using program = clientProgram(CLIENT_PROCESSOR);
  const order: CrowdOrder = { kind: "crowd", port, connections, burst: BURST };
  return JSON.parse(await program.ask(JSON.stringify(order)));
}

async function openCrowdInC({ port }: BenchServer, connections: number, binary: string): Promise<number> {
  const words = [binary, "open", `${port}`, `${connections}`, `${BURST}`];
  await using program = new Asked(pinned(CLIENT_PROCESSOR, words));
  return Number(await program.next()) / 1e6;
}

async function crowds(server: BenchServer, binary: string | null, size: number, emit: Emit): Promise<void> {
  const own = async (connections: number, number: number) => {
    emit("crowds", { client: "epoll", round: number, connections, ...await openCrowd(server, connections) });
    await empty(server);
  };
  await own(SMALL_CROWD, 0);
  for (let number = 0; number < CROWDS; number++) {
    await own(size, number);
    if (binary === null) continue;
    const openMs = await openCrowdInC(server, size, binary);
    emit("crowds", { client: "C loop", round: number, connections: size, openMs, residentBytes: null });
    await empty(server);
  }
}

async function measure(folder: string, binary: string | null, emit: Emit): Promise<void> {
  await using started = new AsyncDisposableStack();
  const servers = new Map<string, BenchServer>();
  if (binary !== null) servers.set("C", started.use(await startFixed(binary, SERVER_PROCESSOR)));
  const limit = descriptorLimits().hard ?? CROWD * 2;
  const size = Math.min(CROWD, Math.floor((limit - OTHER_DESCRIPTORS) * NGINX_SHARE));
  if (isHere("nginx")) {
    const options = { processor: SERVER_PROCESSOR, connections: Math.ceil(size / NGINX_SHARE) };
    servers.set("nginx", started.use(await startNginx(folder, options)));
  }
  const main = servers.get("nginx") ?? servers.get("C");
  if (main === undefined) return;
  const engines = started.use(clientProgram(CLIENT_PROCESSOR));
  const tools = TOOL_NAMES.map((name) => [name, toolArm(name, CLIENT_PROCESSOR)] as const);
  for (const [tool, arm] of tools) emit("tools", { tool, isHere: arm !== null });
  emit("tools", { tool: "nginx", isHere: servers.has("nginx") });
  emit("tools", { tool: "cc", isHere: binary !== null });
  const [wrk, ...others] = tools.map(([, arm]) => arm);

  const compared = [
    binary === null ? null : loopArm(binary, CLIENT_PROCESSOR),
    wrk ?? null,
    engineArm("epoll", engines),
    engineArm("raw", engines),
  ];
  await closedLoops(servers, compared.filter((arm) => arm !== null), emit);
  const [name] = [...servers].find(([, server]) => server === main)!;
  for (const arm of [...others, engineArm("fetch", engines)]) {
    if (arm) await round(name, main.port, arm, 0, emit);
  }
  await openLoops(main, emit);
  await crowds(main, binary, size, emit);
}

const START: RunStart = {
  experiment: {
    id: "load-bench",
    version: 1,
    title: "The load engines beside the tools that people use",
    question: "Is the lab's load generator as fast as the C tools?",
    origin: "lab",
  },
  tables: TABLES,
  params: {
    connections: CONNECTIONS,
    round: `${ROUND_MS}ms`,
    roundsAtC: ROUNDS.C!,
    roundsAtNginx: ROUNDS.nginx!,
    crowds: CROWDS,
    rate: RATE_PER_SECOND,
    crowd: CROWD,
    burst: BURST,
  },
  seed: 0,
};

/**
 * Compares the load engines with `wrk`, `hey`, `autocannon` and a loop in C, against nginx and a server in C: on one
 * processor each where the system can pin, in turn, by medians. What is not installed is left out, and told. The
 * numbers are saved as a run, `load-bench`.
 *
 * Needs the right to run programs, to write temporary files and into the folder of the runs.
 *
 * @param data the folder of the runs. @default {data/ of the project}
 * @returns the ratios
 */
export async function loadBench(data?: string): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  try {
    const binary = await compile("_load_bench.c", `${folder}/load`) ? `${folder}/load` : null;
    if (binary === null && !isHere("nginx")) {
      console.log(
        "· load is not measured as there is neither nginx nor a C compiler (cc): there is no server",
      );
      return [];
    }
    const tables: BenchTables = { rates: [], lateness: [], crowds: [], tools: [] };
    const path = await recordHere(dataDirectory(data), START, async (record) => {
      await measure(folder, binary, (table, row) => {
        (tables[table] as Row[]).push(row);
        record(table, row);
      });
      return { summary: summarize(tables), warnings: warningsOf(tables) };
    });
    for (const { message } of warningsOf(tables)) console.log(`· ${message}`);
    for (const { tool } of tables.tools.filter(({ isHere }) => !isHere)) console.log(`· ${tool} is not here`);
    console.log(`· saved as ${path}`);
    return benchRows(summarize(tables));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
