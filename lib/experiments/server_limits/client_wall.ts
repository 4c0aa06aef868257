import { MisuseError } from "../../record/mod.ts";
import {
  limitDescriptors,
  OwnNetwork,
  pause,
  RawSocket,
  REUSE_DELAY_MS,
  SocketAddress,
} from "../../system/mod.ts";
import { emitArm, emitConnections, emitUnmeasured } from "./arm_rows.ts";
import { HeldCrowds } from "./held_crowds.ts";
import { type Arm, brakesOf, type Mode } from "./mode.ts";
import type { Values } from "./params.ts";
import type { Stage } from "./stage.ts";
import { wallMetrics } from "./wall_metrics.ts";
import { lookAtListener, type Wall, type WallCells, type WallLimits } from "./walls.ts";

/** The first port of the private range: below the one of Linux, from which servers have theirs. */
const FIRST_PORT = 10_000;

/** The port of the listener that accepts nothing: beside the range, which may be full. */
const QUEUE_PORT = FIRST_PORT - 1;

/** Connections that its queue is to take; the kernel takes one more. Source: Linux, `sk_acceptq_is_full`. */
const BACKLOG = 16;

/** Connections that are opened to it. */
const QUEUE_CONNECTIONS = 64;

/** How long a connection and its answer may take, in milliseconds: a SYN is sent again after a second. */
const TIMEOUT_MS = 1500;

/** How many times its timeout the opening of an arm takes at most: those that are opened at once wait together. */
const BATCHES = 8;

/** What an arm takes at most beside that until it is given up, in milliseconds, and its end. */
const [ARM_BUDGET_MS, END_BUDGET_MS] = [10_000, 10_000];

/** By how much more than the ports are enough for is asked for. */
const SURPLUS = 1.25;

/** The share of the ports that an arm uses that is to run out of something else. */
const FITTING_SHARE = 0.9;

/** Descriptors beside those of connections that a budget of half of the ports has for the process itself. */
const OWN_DESCRIPTORS = 64;

/** By how many connections more than its descriptors an arm asks for. */
const DESCRIPTOR_SURPLUS = 64;

/** Descriptors that are kept while connections take the others: the client is to look at the kernel's tables. */
const RESERVE = 16;

/** How long the end of a server may take to be known, in milliseconds. */
const END_LIMIT_MS = 1000;

/** An arm of this mode. */
interface WallArm extends Arm {
  readonly wall: Wall;
}

/** More connections than ports or descriptors allow, on either side. */
export const clientWall: Mode = {
  arms: (params) => armsOf(params).filter(({ wall }) => wall !== "accept queue"),
  budgetMs: (params) => armsOf(params).length * (limitMsOf(params) + END_BUDGET_MS),
  needs: () => ({ namespace: "own" }),
  limitsClient: true,
  async measure(stage) {
    const { params, context } = stage;
    OwnNetwork.adopt().set("net.ipv4.ip_local_port_range", [FIRST_PORT, FIRST_PORT + params.ports - 1]);
    for (const arm of armsOf(params)) {
      if (context.signal.aborted) return;
      if (arm.wall === "accept queue") await measureQueue(stage, arm);
      else await measureWall(stage, arm);
    }
  },
  summarize: wallMetrics,
};

/** The arm that lowers the limit of this process is the last one: it cannot be raised again. */
function armsOf(params: Values): WallArm[] {
  requireOneProcess(params);
  const { client, ports, stack, serverWorkers: workers, connections } = params;
  if (ports % 2 !== 0) {
    throw new MisuseError(
      `Cannot fill ${ports} ports as it is left to chance whether connect() finds the last one of an odd number: ` +
        "give an even number (--ports)",
    );
  }
  if (connections > 0 && connections <= ports) {
    throw new MisuseError(
      `Cannot run out of ports as ${connections} connections fit into ${ports}: give more --connections or fewer ` +
        "--ports",
    );
  }
  const { clientFds, serverFds } = fdsOf(params);
  const fitting = (fds: number) => Math.min(Math.floor(FITTING_SHARE * ports), fds + DESCRIPTOR_SURPLUS);
  const base = { client, stack, workers, brakes: brakesOf(params), timeoutMs: TIMEOUT_MS, serverFds: 0 };
  const ofPorts: WallArm = {
    ...{ ...base, variant: "client-ports", wall: "client ports" },
    connections: connections || Math.ceil(SURPLUS * ports),
  };
  const ofServer = (variant: string, stack: Values["stack"]): WallArm => ({
    ...{ ...base, variant, wall: "server descriptors", stack, serverFds },
    connections: fitting(serverFds),
  });
  const ofQueue: WallArm = {
    ...{ ...base, variant: "accept-queue", wall: "accept queue", connections: QUEUE_CONNECTIONS },
  };
  const ofClient: WallArm = {
    ...{ ...base, variant: "client-descriptors", wall: "client descriptors" },
    connections: fitting(clientFds),
  };
  if (params.serverCommand === null) {
    const stacks = (["deno", "node"] as const).map((stack) => ofServer(`server-descriptors-${stack}`, stack));
    return [ofPorts, ...stacks, ofQueue, ofClient];
  }
  // It is one process for all arms, and with descriptors of its own that few it has no others.
  return params.serverFds > 0
    ? [ofServer("server-descriptors", stack), ofQueue]
    : [ofPorts, ofQueue, ofClient];
}

/** @throws {MisuseError} client and server would not be two processes in one network */
function requireOneProcess({ target, shards, client }: Values): void {
  const problem = target !== null
    ? "the target is not in the run's own network, whose port range is narrow: leave out --target"
    : shards > 1
    ? "it is one process that has the limits: leave out --shards"
    : client === "fetch"
    ? "fetch does not tell what it opens: give --client epoll or raw"
    : null;
  if (problem !== null) throw new MisuseError(`Cannot run into the wall of a client as ${problem}`);
}

function fdsOf({ ports, clientFds, serverFds }: Values): { clientFds: number; serverFds: number } {
  const half = Math.ceil(ports / 2) + OWN_DESCRIPTORS;
  return { clientFds: clientFds || half, serverFds: serverFds || half };
}

function limitMsOf({ timeout }: Values): number {
  return BATCHES * (timeout || TIMEOUT_MS) + ARM_BUDGET_MS;
}

async function measureWall(stage: Stage, arm: WallArm): Promise<void> {
  const { params } = stage;
  const path = stage.subject(arm).ownPath ?? (params.path || "/static");
  const givenUp = await stage.measure(
    arm,
    limitMsOf(params),
    (stage) => measureBegun(stage, arm, path),
  );
  if (givenUp !== null) emitUnmeasured(stage, arm, path, givenUp);
}

async function measureBegun(stage: Stage, arm: WallArm, path: string): Promise<void> {
  const { params, context } = stage;
  const { servers } = stage.subject(arm);
  using watch = await stage.watch(arm);
  await watch.read("before", 0);
  const look = lookAtListener(servers[0]!);
  if (arm.wall === "client descriptors") {
    // A server for all arms has the ports of the first in TIME_WAIT: over loopback they are free again soon.
    if (params.serverCommand !== null) await pause(2 * REUSE_DELAY_MS, context.signal);
    limitDescriptors(fdsOf(params).clientFds);
  }
  await using crowds = new HeldCrowds(stage, arm);
  {
    using _reserve = reserve();
    if (!await crowds.open({ connections: arm.connections, behaviour: { kind: "idle" }, path })) {
      if (stage.givenUp !== null) emitUnmeasured(stage, arm, path, stage.givenUp);
      return;
    }
  }
  if ((await crowds.rows()).some(({ rows }) => rows.some(({ side }) => side === "server"))) {
    // It may be about to end, which comes to be known a little later than what it does to its connections.
    await Promise.race([context.ended(servers[0]!.key!), pause(END_LIMIT_MS, context.signal)]);
  }
  const openMs = context.now();
  await watch.read("held", await crowds.countOpen());
  emitWall(stage, arm, look());
  await emitArm(stage, arm, watch, {
    ...{ path, asked: arm.connections, crowds: await crowds.rows(), watchedMs: context.now() - openMs },
  });
  await crowds.close(watch);
}

/**
 * Opens connections to a listener that accepts none: no process runs out of anything, and yet only as many come to
 * be as its accept queue holds.
 */
async function measureQueue(stage: Stage, arm: WallArm): Promise<void> {
  const { context, generator } = stage;
  const address = "127.0.0.1";
  using listener = openSocket();
  if (!listener.bindTo(new SocketAddress(address, QUEUE_PORT)) || !listener.listen(BACKLOG)) {
    throw new Error(`Cannot listen on ${address}:${QUEUE_PORT} as the system refused`);
  }
  const look = lookAtListener({ port: QUEUE_PORT, pid: null });
  const target = { address, hostname: address, port: QUEUE_PORT, path: "/" };
  const plan = stage.plan(arm, arm.connections, { kind: "idle" });
  await using crowd = await generator.crowd(plan, [target], { signal: context.signal });
  emitWall(stage, arm, look());
  const rows = await crowd.rows();
  context.emit("arms", {
    ...{
      variant: arm.variant,
      client: arm.client,
      subject: "a listener that accepts nothing",
      path: target.path,
    },
    ...{ servers: 1, asked: arm.connections, burst: plan.burst, begun: rows.length },
    lostShards: crowd.lost.length,
    opened: rows.filter(({ openMs }) => openMs !== null).length,
    failed: rows.filter(({ failure, openMs }) => failure !== null && openMs === null).length,
    ...{ watchedMs: 0, headerTimeoutMs: null, idleTimeoutMs: null, requestTimeoutMs: null, checkingMs: null },
    ...{ dripMs: null, serverEnd: null, givenUp: null, serverFds: null },
  });
  emitConnections(stage, arm.variant, { atMs: 0, rows, lost: crowd.lost });
}

function emitWall({ params, context }: Stage, { variant, wall, serverFds }: WallArm, cells: WallCells): void {
  const limits: WallLimits = {
    ports: params.ports,
    clientFds: wall === "client descriptors" ? fdsOf(params).clientFds : null,
    serverFds: serverFds || null,
  };
  context.emit("walls", { variant, wall, ...limits, ...cells });
}

/** Takes descriptors, to give them back when connections have taken all others. */
function reserve(): Disposable {
  const sockets = new DisposableStack();
  for (let taken = 0; taken < RESERVE; taken++) sockets.use(openSocket());
  return sockets;
}

function openSocket(): RawSocket {
  const opened = RawSocket.open({ blocking: false });
  if (opened.ok) return opened.socket;
  throw new Error(`Cannot open socket as its failure is ${opened.kind}`);
}
