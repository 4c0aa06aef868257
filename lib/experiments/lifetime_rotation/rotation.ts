import { pace } from "./pace.ts";
import type { Stage } from "./stage.ts";

/**
 * One request an interval over a pool whose connections have a lifetime: when does the connection change?
 *
 * @param stage what the parts share
 * @param port a listener of its own
 */
export async function measureRotation(stage: Stage, port: number): Promise<void> {
  const { context, params } = stage;
  using pool = stage.openPool({ lifetimeMs: stage.real(params.lifetime) }, { variant: "rotation" });
  using client = stage.openClient(pool);
  await pace(
    { startMs: context.now(), intervalMs: stage.real(params.interval), count: params.requests },
    async (_, dueMs) => void await stage.request(client, { variant: "rotation", client: 1, port, dueMs }),
    context,
  );
  await stage.record("rotation", [pool], port);
}
