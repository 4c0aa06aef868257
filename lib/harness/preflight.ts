import { CannotRunHereError, type Warning } from "../record/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import type { PlannedRun } from "./plan.ts";
import { allow, serverRights } from "./rights.ts";

/** Descriptors that a process needs beside those of its connections: pipes, files, the event loop. */
const OWN_DESCRIPTORS = 32;

const SERVER_DESCRIPTORS = 64;

/** The share of a processor's capacity that other work may take before a run warns of it. */
const BUSY_SHARE = 0.75;

/** What a machine offers to a run. What it does not tell is taken as boundless. */
export interface Machine {
  /** File descriptors that a process may have. */
  readonly descriptors: number;
  /** Ports that the system gives to clients. */
  readonly ephemeralPorts: number;
  /** Programs that ran or waited to run over the last minute, on average. */
  readonly load: number;
  /** Processors. */
  readonly processors: number;
}

/** What the machine offers that this process runs on. */
function thisMachine(): Machine {
  const { network, limits, cpu } = readEnvironment({ isolation: "none" });
  const [low, high] = network.ephemeralPorts ?? [1, Infinity];
  return {
    descriptors: limits.descriptors ?? Infinity,
    ephemeralPorts: high - low + 1,
    load: cpu.load1 ?? 0,
    processors: cpu.count ?? Infinity,
  };
}

/**
 * Checks that a machine can carry a planned run out, before anything is started.
 *
 * @param planned the run
 * @param machine the machine. @default {this one}
 * @returns what makes the run less sure than it looks
 * @throws {CannotRunHereError} a limit is too low, or the run needs what this system lacks
 */
export function preflight(planned: PlannedRun, machine: Machine = thisMachine()): Warning[] {
  const { needs, servers } = planned;
  // A right that cannot be named is refused here, not when its process is to start.
  allow("net", needs.net);
  for (const server of servers) serverRights(server);
  requireDescriptors(planned, machine);
  requirePorts(planned, machine);
  requireCertificates(planned.plan);
  return [...busyMachine(machine)];
}

function requireDescriptors({ plan, servers }: PlannedRun, { descriptors: limit }: Machine): void {
  const processes = [
    { what: "measuring process", descriptors: plan.descriptors },
    ...servers.map(({ name, descriptors = SERVER_DESCRIPTORS }) => ({ what: `server ${name}`, descriptors })),
  ];
  for (const { what, descriptors } of processes) {
    const wanted = descriptors + OWN_DESCRIPTORS;
    if (wanted <= limit) continue;
    throw new CannotRunHereError(
      `Cannot run ${plan.experiment} as its ${what} needs ${wanted} file descriptors at once ` +
        `and a process may have ${limit}`,
      "Ask for fewer connections or rounds, or raise the hard limit (ulimit -Hn)",
    );
  }
}

function requirePorts({ plan, connections }: PlannedRun, { ephemeralPorts }: Machine): void {
  if (connections === null || connections <= ephemeralPorts) return;
  throw new CannotRunHereError(
    `Cannot run ${plan.experiment} as it opens ${connections} connections to one address ` +
      `and the system has ${ephemeralPorts} ports for them`,
    "Ask for fewer connections, or widen the range (net.ipv4.ip_local_port_range)",
  );
}

/**
 * Deno loads the certificates that it trusts when a process first makes a client, also one that speaks no TLS.
 * All processes of the lab have the same ones.
 */
function requireCertificates({ experiment }: PlannedRun["plan"]): void {
  try {
    Deno.createHttpClient({}).close();
  } catch (error) {
    throw new CannotRunHereError(
      `Cannot run ${experiment} as Deno cannot load the certificates that it trusts: ${
        (error as Error).message
      }`,
      "Let DENO_CERT name a file with certificates, and DENO_TLS_CA_STORE known stores, or unset them",
      { cause: error },
    );
  }
}

function* busyMachine({ load, processors }: Machine): Generator<Warning> {
  if (load > processors * BUSY_SHARE) {
    yield {
      code: "busy-machine",
      message: `The load average over the last minute is ${load.toFixed(1)} on ${processors} processors`,
      remedy: "End other work and run again: times are longer and spread wider than the machine allows",
    };
  }
}
