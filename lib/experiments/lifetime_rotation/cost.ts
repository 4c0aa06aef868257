import { takeTurns, type Turn } from "../_shared/rounds.ts";
import { blockMs } from "./plan.ts";
import { HOSTNAME, type Stage } from "./stage.ts";
import { costVariants } from "./variants.ts";

/**
 * What a lifetime adds to a request: blocks of requests one after another, over pools with different lifetimes
 * and with none, in an order drawn anew for every round; the first round is discarded.
 *
 * @param stage what the parts share
 * @param port a listener
 */
export async function measureCost(stage: Stage, port: number): Promise<void> {
  const variants = costVariants(stage.params);
  await takeTurns({
    variants: [...variants.keys()],
    rounds: stage.params.rounds,
    measure: (turn) => measureBlock(stage, turn, { lifetimeMs: variants.get(turn.variant)!, port }),
  }, stage.context);
}

interface Block {
  readonly lifetimeMs: number;
  readonly port: number;
}

async function measureBlock(stage: Stage, turn: Turn, { lifetimeMs, port }: Block): Promise<void> {
  const { context, params } = stage;
  const origin = { hostname: HOSTNAME, port };
  using pool = stage.openPool({ lifetimeMs });
  using client = stage.openClient(pool);
  // The first connection of all is opened outside of the measured time: every variant needs one.
  await client.request(origin, { path: "/static" });
  const counted = { requests: 0, failed: 0, fresh: 0, freshMs: 0, reusedMs: 0 };
  const { elapsedMs } = await context.timed(async () => {
    const endMs = context.now() + blockMs(params);
    while (context.now() < endMs && !context.signal.aborted) {
      const { elapsedMs, failure, reused } = await client.request(origin, { path: "/static" });
      counted.requests++;
      if (failure) counted.failed++;
      if (reused) counted.reusedMs += elapsedMs;
      else {
        counted.fresh++;
        counted.freshMs += elapsedMs;
      }
    }
  });
  if (turn.round === 0 || context.signal.aborted) return;
  context.emit("blocks", { ...turn, elapsedMs, ...counted });
}
