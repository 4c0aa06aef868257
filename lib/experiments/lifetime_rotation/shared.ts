import type { Pool, PooledClient } from "../../transport/mod.ts";
import type { Stage } from "./stage.ts";

/** Requests that each client makes. */
const REQUESTS_EACH = 3;

/**
 * Clients that make requests in turn, never two at once: over one pool, and with a pool for each.
 *
 * @param stage what the parts share
 * @param ports a listener for each of the two
 */
export async function measureShared(stage: Stage, ports: readonly [number, number]): Promise<void> {
  const { clients } = stage.params;
  using pool = stage.openPool({}, { variant: "shared" });
  await takeTurns(stage, { variant: "shared", port: ports[0], pools: new Array<Pool>(clients).fill(pool) });
  await stage.record("shared", [pool], ports[0]);
  using stack = new DisposableStack();
  const pools = Array.from({ length: clients }, () => stack.use(stage.openPool({}, { variant: "apart" })));
  await takeTurns(stage, { variant: "apart", port: ports[1], pools });
  await stage.record("apart", pools, ports[1]);
}

interface Turns {
  readonly variant: "shared" | "apart";
  readonly port: number;
  /** The pool of each client. */
  readonly pools: readonly Pool[];
}

async function takeTurns(stage: Stage, { variant, port, pools }: Turns): Promise<void> {
  using stack = new DisposableStack();
  const clients: PooledClient[] = pools.map((pool) => stack.use(stage.openClient(pool)));
  for (let turn = 0; turn < REQUESTS_EACH; turn++) {
    for (const [index, client] of clients.entries()) {
      if (stage.context.signal.aborted) return;
      await stage.request(client, { variant, client: index + 1, port });
    }
  }
}
