import { CannotRunHereError, type Environment, type Warning } from "../record/mod.ts";
import { namespaceSupport, OwnNetwork } from "../system/mod.ts";
import type { PlannedRun } from "./plan.ts";

/** Where a run takes place. */
export interface Place {
  /** Where its sockets live. */
  readonly isolation: Environment["isolation"];
  /** What makes the run less sure than it looks. */
  readonly warnings: readonly Warning[];
}

/**
 * Finds where a run takes place, and makes that ready: in a network of its own, loopback is raised.
 *
 * @param planned the run
 * @param isolation where this process was started
 * @param support tells whether there can be networks of one's own. @default {asks this system}
 * @returns the place; `null` when the run is to have a network of its own, and this process has none
 * @throws {CannotRunHereError} the system has no such place to offer
 */
export async function findPlace(
  planned: PlannedRun,
  isolation: "none" | "namespace",
  support: typeof namespaceSupport = namespaceSupport,
): Promise<Place | null> {
  const { plan: { experiment }, needs: { namespace, required = true } } = planned;
  if (namespace === "link") {
    throw new CannotRunHereError(
      `Cannot run ${experiment} as it asks for an emulated link`,
      "This version of the lab has none",
    );
  }
  if (namespace === "none") return { isolation: "none", warnings: [] };
  if (isolation === "namespace") {
    adopt(experiment);
    return { isolation, warnings: [] };
  }
  const { available, reason, remedy } = await support();
  if (available) return null;
  const [why, what] = [reason ?? "the system refused", remedy ?? "Run it on another system"];
  if (required) {
    throw new CannotRunHereError(`Cannot run ${experiment} in a network of its own as ${why}`, what);
  }
  return {
    isolation: "none",
    warnings: [{
      code: "no-namespace",
      message: `Measured in the machine's own network, among other connections, as ${why}`,
      remedy: what,
    }],
  };
}

function adopt(experiment: string): void {
  try {
    OwnNetwork.adopt();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CannotRunHereError(
      `Cannot run ${experiment} in a network of its own as it cannot be set up: ${reason}`,
      "Inside a container, start that with /proc/sys writable, such as with --security-opt systempaths=unconfined",
      { cause },
    );
  }
}
