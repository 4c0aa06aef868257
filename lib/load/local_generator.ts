import { crowdShard } from "./crowd/crowd_shard.ts";
import type { Generator } from "./generator.ts";
import { loadShard } from "./load_shard.ts";
import type { LoadTarget, Shard } from "./plan.ts";

/**
 * Makes load in threads of this process.
 *
 * Needs `--allow-net` of the targets, the right to read the lab's own files, and, for epoll, `--allow-ffi` of the C
 * library.
 *
 * @returns a generator, which holds nothing by itself
 */
export function localGenerator(): Generator {
  return {
    load: async (plan, targets, options) => ({ ...await loadShard(plan, alone(targets), options), lost: [] }),
    crowd: (plan, targets, options) => crowdShard(plan, alone(targets), options),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The one shard that does everything. */
function alone(targets: readonly LoadTarget[]): Shard {
  return { index: 0, count: 1, startMs: 0, targets };
}
