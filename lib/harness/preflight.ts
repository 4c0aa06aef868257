import { CannotRunHereError, type Warning } from "../record/mod.ts";
import { descriptorLimits } from "../system/mod.ts";
import type { PlannedRun } from "./plan.ts";

/** Descriptors that a process needs beside those of its measurement: pipes, files, the event loop. */
const OWN_DESCRIPTORS = 32;

/** The share of a processor's capacity that other work may take before a run warns of it. */
const BUSY_SHARE = 0.75;

/**
 * Checks that this machine can carry a planned run out, before anything is started.
 *
 * @param planned the run
 * @returns what makes the run less sure than it looks
 * @throws {CannotRunHereError} a descriptor limit is too low, or the run needs what this system lacks
 */
export function preflight({ plan, needs }: PlannedRun): Warning[] {
  if (needs.namespace !== "none") {
    throw new CannotRunHereError(
      `Cannot run ${plan.experiment} as it asks for a network of its own (${needs.namespace})`,
      "This version of the lab measures on the machine's own network only",
    );
  }
  const limit = hardDescriptorLimit();
  const wanted = plan.descriptors + OWN_DESCRIPTORS;
  if (wanted > limit) {
    throw new CannotRunHereError(
      `Cannot run ${plan.experiment} as it needs ${wanted} file descriptors at once and a process may have ${limit}`,
      "Ask for fewer connections, or raise the hard limit (ulimit -Hn)",
    );
  }
  return [...busyMachine()];
}

/** The limit that binds, or none where this system does not tell. */
function hardDescriptorLimit(): number {
  try {
    return descriptorLimits().hard;
  } catch {
    return Infinity;
  }
}

function* busyMachine(): Generator<Warning> {
  const processors = navigator.hardwareConcurrency;
  const load = Deno.loadavg()[0]!;
  if (load > processors * BUSY_SHARE) {
    yield {
      code: "busy-machine",
      message: `The load average over the last minute is ${load.toFixed(1)} on ${processors} processors`,
      remedy: "End other work and run again: times are longer and spread wider than the machine allows",
    };
  }
}
