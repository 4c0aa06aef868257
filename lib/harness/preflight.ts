import type { Experiment } from "../experiments/mod.ts";
import { CannotRunHereError, MisuseError, type Warning } from "../record/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import { ask, type Demands, type PlannedRun } from "./plan.ts";
import { allow, serverRights } from "./rights.ts";

/** Descriptors that a process needs beside those of its connections: pipes, files, the event loop. */
const OWN_DESCRIPTORS = 32;

const SERVER_DESCRIPTORS = 64;

/** Descriptors of the supervisor for each process that it has started: three pipes, and the process itself. */
const CHILD_DESCRIPTORS = 4;

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
  for (const { run } of servers) if (run !== undefined) requireProgram(planned.plan, run.program);
  requireRoom(planned, machine);
  requireCertificates(planned.plan);
  return [...busyMachine(machine)];
}

/** What a machine has too little of for a run. */
interface Shortage {
  /** What, for people. */
  readonly problem: string;
  /** What helps, but for more processes. */
  readonly remedy: string;
}

/** Holds every process against the descriptor limit, and the connections to one address against the ports. */
function shortageOf(
  { servers, descriptors: measuring, connections }: Pick<Demands, "servers" | "descriptors" | "connections">,
  { tables }: Experiment,
  { descriptors: limit, ephemeralPorts }: Machine,
): Shortage | null {
  // All servers and the measuring process, and for a moment the ends of the pipes of the one that is being started.
  const children = servers.length + 2;
  const processes = [
    { what: "measuring process", descriptors: measuring },
    ...servers.map(({ name, as = name, descriptors = SERVER_DESCRIPTORS }) => ({
      what: `server ${as}`,
      descriptors,
    })),
    {
      what: "supervisor",
      descriptors: children * CHILD_DESCRIPTORS + Object.keys(tables).length,
      fewer: "servers or processes of the client",
    },
  ];
  for (const { what, descriptors, fewer = "connections or rounds" } of processes) {
    const wanted = descriptors + OWN_DESCRIPTORS;
    if (wanted <= limit) continue;
    return {
      problem: `its ${what} needs ${wanted} file descriptors at once and a process may have ${limit}`,
      remedy: `Ask for fewer ${fewer}, or raise the hard limit (ulimit -Hn)`,
    };
  }
  if (connections === null || connections <= ephemeralPorts) return null;
  return {
    problem: `it opens ${connections} connections to one address ` +
      `and the system has ${ephemeralPorts} ports for them`,
    remedy: "Ask for fewer connections, or widen the range (net.ipv4.ip_local_port_range)",
  };
}

function requireRoom(planned: PlannedRun, machine: Machine): void {
  const { plan, servers, connections } = planned;
  const shortage = shortageOf(
    { servers, connections, descriptors: plan.descriptors },
    planned.experiment,
    machine,
  );
  if (shortage === null) return;
  const shards = enoughShards(planned, machine);
  const split = shards === null
    ? ""
    : `Split it over ${shards} processes (${
      planned.asOptions ? `--shards ${shards}` : `shards: ${shards}`
    }). `;
  throw new CannotRunHereError(
    `Cannot run ${plan.experiment} as ${shortage.problem}`,
    `${split}${shortage.remedy}`,
  );
}

/** More processes than this are not looked for: a machine of this size would do nothing but switch between them. */
const MOST_SHARDS = 256;

/**
 * The least number of processes over which the load of a run can be split so that the machine carries it; `null` when
 * it has no such parameter, or no number is enough.
 */
function enoughShards({ experiment, values }: PlannedRun, machine: Machine): number | null {
  const { shards } = experiment.params;
  if (shards?.kind !== "integer") return null;
  for (let count = Number(values.shards) + 1; count <= MOST_SHARDS; count++) {
    if ("must" in shards.parse(count)) return null;
    if (fits(experiment, { ...values, shards: count }, machine)) return count;
  }
  return null;
}

function fits(experiment: Experiment, values: PlannedRun["values"], machine: Machine): boolean {
  try {
    return shortageOf(ask(experiment, values), experiment, machine) === null;
  } catch (error) {
    // It takes no such number: together with its other parameters, or at all.
    if (error instanceof MisuseError) return false;
    throw error;
  }
}

/**
 * This process has the right to start a program that a person named. Deno grants none for a name that is nowhere on
 * the PATH.
 */
function requireProgram({ experiment }: PlannedRun["plan"], command: string): void {
  if (Deno.permissions.querySync({ name: "run", command }).state === "granted") return;
  throw new CannotRunHereError(
    `Cannot run ${experiment} as no program called ${command} is found`,
    "Give its path, or add its folder to PATH",
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
