import { enterFreshNetwork, isOwnAddress, pause, RawSocket } from "../../system/mod.ts";
import { destinationOf } from "./connector.ts";
import { type Filled, FillLoop } from "./fill_loop.ts";
import { BIND_NO_PORT_SINCE, LOCAL_RANGE_SINCE } from "./kernel.ts";
import { type Holders, MOST_SURPLUS } from "./holders.ts";
import type { Arm } from "./plan.ts";
import { protocolOf } from "./strategies.ts";
import { fillByThreads } from "./threads.ts";

/** The longest queue of connections that nobody accepts. */
const BACKLOG = 65_535;

/** Connects before the first that counts, so that no compiler and no empty cache is measured. */
const WARM_UP_CONNECTS = 300;

/** Connects between two looks at whether the run is to stop, and the time that they may take. */
const CHUNK = { count: MOST_SURPLUS, ms: 50 } as const;

/** What {@linkcode measureArm} is told. */
export interface CellOptions {
  /** Random numbers in [0, 1). */
  readonly random: () => number;
  /** Stops it. */
  readonly signal: AbortSignal;
  /** Keeps sockets. */
  readonly holders: Holders;
}

/** What an arm came to. */
export interface CellOutcome {
  /** Its connects, in order. */
  readonly filled: Filled;
  /** The time for all of them; `null` when they were not all made. */
  readonly elapsedMs: number | null;
  /** Why it cannot be measured here; `null` when it can. */
  readonly reason: string | null;
}

/**
 * Fills the range of an arm in a network that nothing has used, after a few connects in another one. This thread
 * stays in it.
 *
 * @param arm the arm
 * @param options random numbers, and what stops it
 * @returns what became of every connect
 */
export async function measureArm(arm: Arm, options: CellOptions): Promise<CellOutcome> {
  const connects = Math.min(WARM_UP_CONNECTS, Math.floor(arm.connects / 2));
  const { reason, filled } = await fill({ ...arm, connects, threads: 1 }, options);
  return reason === null ? await fill(arm, options) : { reason, filled, elapsedMs: null };
}

async function fill(arm: Arm, { random, signal, holders }: CellOptions): Promise<CellOutcome> {
  enterFreshNetwork({
    "net.ipv4.ip_local_port_range": [arm.range.low, arm.range.high],
    "net.core.somaxconn": BACKLOG,
  });
  using loop = new FillLoop(arm, { random });
  const reason = whyNot(arm);
  if (reason !== null) return { filled: loop.filled, elapsedMs: null, reason };
  using _listener = listenFor(arm);
  if (arm.threads > 1) return { ...await fillByThreads(arm, { random, signal }), reason };
  while (!loop.isDone && !signal.aborted) {
    loop.run(CHUNK.count, CHUNK.ms);
    holders.take(loop.sockets);
    await pause(0, signal);
  }
  holders.letGo();
  return { filled: loop.filled, elapsedMs: loop.isDone ? loop.elapsedMs : null, reason: null };
}

/** What an arm needs that this system has not got. */
function whyNot(arm: Arm): string | null {
  const { family, strategy, range, sources } = arm;
  const destination = destinationOf(family);
  if (isOwnAddress(destination.address) === false) {
    return `The loopback of this system has no ${destination.address}: IPv6 is off`;
  }
  const hasOwnRange = strategy === "window" || strategy === "full-range";
  const bindsWithoutPort = strategy === "bind-no-port" || sources > 1;
  if (!hasOwnRange && !bindsWithoutPort) return null;
  const opened = RawSocket.open({ family });
  if (!opened.ok) return `No socket could be opened: ${opened.kind}`;
  using socket = opened.socket;
  if (bindsWithoutPort && !socket.setOption("bindAddressNoPort", true)) {
    return `This kernel has no IP_BIND_ADDRESS_NO_PORT: Linux ${BIND_NO_PORT_SINCE} and later have it`;
  }
  return !hasOwnRange || socket.setOption("localPortRange", [range.low, range.high])
    ? null
    : `This kernel has no IP_LOCAL_PORT_RANGE: Linux ${LOCAL_RANGE_SINCE} and later have it`;
}

/** A listener that accepts nothing: connections wait in its queue, without a descriptor. UDP needs none. */
function listenFor({ strategy, family }: Arm): RawSocket | null {
  if (protocolOf(strategy) === "udp") return null;
  const opened = RawSocket.open({ family });
  if (!opened.ok) throw new Error(`Cannot listen as no socket could be opened: ${opened.kind}`);
  const { socket } = opened;
  const destination = destinationOf(family);
  const bound = socket.bind(destination);
  if (bound.ok && socket.listen(BACKLOG)) return socket;
  socket.close();
  throw new Error(
    `Cannot listen at port ${destination.port} as the system refused: ${bound.ok ? "listen" : bound.kind}`,
  );
}
