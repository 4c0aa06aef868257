import { CannotRunHereError, type Environment, type Warning } from "../record/mod.ts";
import { type NamespaceSupport, namespaceSupport, OwnNetwork } from "../system/mod.ts";
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
  const found = await support();
  if (found.available) return null;
  const refusal = noNetwork(experiment, found);
  if (required) throw refusal;
  return {
    isolation: "none",
    warnings: [{
      code: "no-namespace",
      message: `Measured in the machine's own network, among other connections, as ${found.reason}`,
      remedy: refusal.remedy,
    }],
  };
}

/**
 * The refusal of a run that can have no network of its own.
 *
 * @param experiment the experiment's id or URL
 * @param support why not, and what helps
 * @returns the error
 */
export function noNetwork(experiment: string, { reason, remedy }: NamespaceSupport): CannotRunHereError {
  return new CannotRunHereError(
    `Cannot run ${experiment} in a network of its own as ${reason}`,
    remedy ?? "Run it on another system",
  );
}

/**
 * Writes something in a place, which may be why it cannot be written: the user namespace around a network of its own
 * knows the one user who made it, and its root has no privilege over the files of others.
 *
 * @param place where
 * @param write writes it
 * @returns what that gave
 * @throws {CannotRunHereError} it cannot be written
 */
export function writeIn<T>({ isolation }: Pick<Place, "isolation">, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const isDenied = error instanceof CannotRunHereError &&
      error.cause instanceof Deno.errors.PermissionDenied;
    if (!isDenied || isolation !== "namespace") throw error;
    throw new CannotRunHereError(
      error.problem,
      "Name a folder with --data that belongs to you: in a network of its own a run has no privilege over " +
        "other users' files, not even when root starts it",
      { cause: error },
    );
  }
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
