import { pause } from "../../system/mod.ts";
import type { Pool } from "../../transport/mod.ts";
import { pace, untilDue } from "./pace.ts";
import { busyAnswerMs, movePlan } from "./plan.ts";
import { HOSTNAME, type Stage } from "./stage.ts";
import { MOVING_VARIANTS, type MovingVariant } from "./variants.ts";

/** When things happen, on the measurement's clock. */
interface Times {
  readonly startMs: number;
  readonly moveMs: number;
  readonly endMs: number;
}

/**
 * A name moves to another address while pools with and without a lifetime keep connections to it. A pool opens
 * one connection more at every interval until it has one for each client, so that they differ in age. An idle
 * one carries a request an interval; on a busy one a request is always under way.
 *
 * @param stage what the parts share
 */
export async function measureBlueGreen(stage: Stage): Promise<void> {
  const { context, params, origin } = stage;
  const green = context.servers.green!;
  const plan = movePlan(params);
  const startMs = context.now();
  const times = {
    startMs,
    moveMs: startMs + stage.real(plan.moveMs),
    endMs: startMs + stage.real(plan.endMs),
  };
  let address = origin.hostname;
  using stack = new DisposableStack();
  const arms = MOVING_VARIANTS.map((variant) => {
    const limits = {
      lifetimeMs: variant.startsWith("lifetime/") ? stage.real(params.lifetime) : Infinity,
      // Where a request is late, the next one waits for its connection and does not open another.
      maxPerOrigin: params.clients,
    };
    return {
      variant,
      times,
      pool: stack.use(stage.openPool(limits, { variant, addressNow: () => address })),
    };
  });
  const move = async () => {
    await untilMove(stage, arms, times);
    address = green.hostname;
    return context.now();
  };
  const [movedMs] = await Promise.all([move(), ...arms.map((arm) => measureArm(stage, arm))]);
  // A run that was to stop before has nothing to tell of the move.
  if (context.signal.aborted && movedMs < times.moveMs) return;
  context.emit("moves", {
    ...{ hostname: HOSTNAME, from: origin.hostname, to: green.hostname },
    ...{ movedMs, endedMs: Math.min(context.now(), times.endMs) },
  });
}

/**
 * Waits until the name is to move, and every pool has all of its connections: one that is opened late is not to be
 * taken for one that followed the name.
 */
async function untilMove(
  { context, params }: Stage,
  arms: readonly Arm[],
  { moveMs, endMs }: Times,
): Promise<void> {
  await untilDue(moveMs, context);
  const isReady = () => arms.every(({ pool }) => pool.counts.opened >= params.clients);
  while (!isReady() && context.now() < endMs && !context.signal.aborted) await pause(1, context.signal);
}

async function measureArm(stage: Stage, arm: Arm): Promise<void> {
  await (arm.variant.endsWith("/busy") ? keepBusy : visit)(stage, arm);
  await stage.record(arm.variant, [arm.pool]);
}

interface Arm {
  readonly variant: MovingVariant;
  readonly pool: Pool;
  readonly times: Times;
}

/** At every interval each client makes a request, all at once: in the beginning one, then one more each time. */
async function visit(stage: Stage, { variant, pool, times }: Arm): Promise<void> {
  const { params, origin: { port }, context } = stage;
  const { startMs, endMs } = times;
  const intervalMs = stage.real(params.interval);
  using client = stage.openClient(pool);
  await pace(
    { startMs, intervalMs, count: Math.floor((endMs - startMs) / intervalMs) + 1 },
    async (tick, dueMs) => {
      const clients = Math.min(tick + 1, params.clients);
      await Promise.all(
        Array.from(
          { length: clients },
          (_, index) => stage.request(client, { variant, client: index + 1, port, dueMs }),
        ),
      );
    },
    context,
  );
}

/** Each client makes one request after another; the first begins in the beginning, the others an interval apart. */
async function keepBusy(stage: Stage, { variant, pool, times }: Arm): Promise<void> {
  const { params, origin: { port }, context } = stage;
  const { startMs, endMs } = times;
  const intervalMs = stage.real(params.interval);
  const sleepMs = busyAnswerMs(params);
  using client = stage.openClient(pool);
  await pace(
    { startMs, intervalMs, count: params.clients },
    async (index) => {
      while (context.now() < endMs && !context.signal.aborted) {
        const { failure } = await stage.request(client, { variant, client: index + 1, port, sleepMs });
        // A server that is gone refuses at once, and thousands of rows would say the same.
        if (failure) await untilDue(context.now() + sleepMs, context);
      }
    },
    context,
  );
}
