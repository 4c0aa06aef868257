import { pause, type RawSocket } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { type ArmNetwork, endsOf, type Pair } from "./arm_network.ts";
import type { Ends } from "./arms.ts";
import { AttemptLog } from "./attempt_log.ts";
import type { Tables } from "./tables.ts";

/** Tries after the first one that failed: a ceiling is where none of them succeeds either. */
const CONFIRMING_TRIES = 9;

/** Connections after which the event loop has its turn: it may be told to stop. */
const BATCH = 500;

/** What closing all held connections left behind. */
export interface HeldOutcome {
  /** Connections that were open at once. */
  readonly closed: number;
  /** Sockets that they left in TIME_WAIT on the client's side. */
  readonly timeWaitClient: number;
  /** The same on the server's. */
  readonly timeWaitServer: number;
}

/**
 * Opens connections and holds them, over every pair of a source and a destination in turn, until none has a port
 * left; then closes all of them, and counts what is in TIME_WAIT.
 *
 * @param network the network of the arm, in which the calling thread is
 * @param context where rows go
 * @returns what was left behind; `null` when the run is to stop
 */
export async function holdAll(
  network: ArmNetwork,
  context: Pick<MeasureContext<Tables>, "emit" | "now" | "signal">,
): Promise<HeldOutcome | null> {
  const held = new Map<string, RawSocket>();
  try {
    await fill(network, held, context);
    if (!await closeAll(network, held, context)) return null;
    const { client, server } = network.timeWait();
    return { closed: held.size, timeWaitClient: client, timeWaitServer: server };
  } finally {
    for (const socket of held.values()) socket.close();
  }
}

async function fill(
  network: ArmNetwork,
  held: Map<string, RawSocket>,
  context: Pick<MeasureContext<Tables>, "emit" | "now" | "signal">,
): Promise<void> {
  const log = new AttemptLog(context, network.arm.variant, "hold");
  const failures = new Map<Pair, number>(network.pairs.map((pair) => [pair, 0]));
  for (let tries = 0; failures.size > 0 && !context.signal.aborted; tries++) {
    const pair = network.pairs[tries % network.pairs.length]!;
    const failed = failures.get(pair);
    if (failed === undefined) continue;
    const startMs = context.now();
    const opened = network.open(pair);
    if (opened.ok) {
      held.set(keyOf(opened.ends), opened.client);
      log.opened(startMs, opened);
      failures.set(pair, 0);
    } else {
      log.failed(startMs, opened.kind);
      if (failed < CONFIRMING_TRIES) failures.set(pair, failed + 1);
      else failures.delete(pair);
    }
    if (tries % BATCH === BATCH - 1) await pause(0);
  }
  log.end();
}

/** Closes each connection when it is accepted; whether all were. */
async function closeAll(
  network: ArmNetwork,
  held: ReadonlyMap<string, RawSocket>,
  { signal }: Pick<MeasureContext<Tables>, "signal">,
): Promise<boolean> {
  let closed = 0;
  for (const pair of network.pairs) {
    for (let server = pair.destination.accept(); server !== null; server = pair.destination.accept()) {
      const client = held.get(keyOf(endsOf(server.peer!, pair.destination.address)));
      if (client === undefined) throw new Error("Cannot close connection as the client does not know it");
      network.close(client, server);
      if (++closed % BATCH === 0) await pause(0);
      if (signal.aborted) return false;
    }
  }
  return closed === held.size;
}

function keyOf({ source, port, destination }: Ends): string {
  return `${source} ${port} ${destination}`;
}
