import { type CommandLine, describeCommand } from "../../record/mod.ts";
import { type LoadTarget, shareOf } from "../../load/mod.ts";
import { isLoopback } from "../_shared/allowed_target.ts";
import type { Destination } from "../_shared/subject.ts";
import type { ServerHandles, ServerSpec } from "../contract.ts";
import type { Arm } from "./mode.ts";
import type { Values } from "./params.ts";

/** The key of a program that is not the lab's. */
const COMMAND = "command";

/** Descriptors of a process beside those of the connections: listeners, polls, the runtime's own. */
const SPARE_DESCRIPTORS = 128;

/** One server as the measurement meets it. */
export interface SubjectServer {
  /** What it is called among those of the run; `null` for one that the lab did not start. */
  readonly key: string | null;
  /** The address that is connected to. */
  readonly address: string;
  /** Its name or address in requests. */
  readonly hostname: string;
  /** The port that is held at its limits. */
  readonly port: number;
  /** A port of the same process that tells its counts; `null` where there is none. */
  readonly statsPort: number | null;
  /** Its process id; `null` where it is not known. */
  readonly pid: number | null;
}

/** What one arm is measured against. */
export interface Subject {
  /** What it is, in words. */
  readonly words: string;
  /** Its servers, over which connections are spread. */
  readonly servers: readonly SubjectServer[];
  /** Whether they run on this machine. */
  readonly local: boolean;
  /** What is requested of it; `null` for the lab's own server, which has a path for every need. */
  readonly ownPath: string | null;
}

/**
 * The key of a server.
 *
 * @param arm its arm
 * @param index which of the arm's servers, from 0
 * @returns the key
 */
export function serverKey({ variant }: Pick<Arm, "variant">, index: number): string {
  return `${variant}-${index + 1}`;
}

/**
 * The servers that arms want: as many for each as there are shards of the client.
 *
 * @param params the parameters
 * @param arms the arms
 * @returns none where the subject runs already
 */
export function serversOf(params: Values, arms: readonly Arm[]): ServerSpec[] {
  if (params.target !== null) return [];
  if (params.serverCommand !== null) return [commandOf(params, params.serverCommand, arms)];
  return arms.flatMap((arm) =>
    Array.from({ length: params.shards }, (_, index) => ({
      name: "origin",
      as: serverKey(arm, index),
      flags: flagsOf(params, arm),
      descriptors: descriptorsOf(shareOf(arm.connections, index, params.shards), serverFdsOf(params, arm)),
      mayEnd: true,
      ...(serverFdsOf(params, arm) > 0 ? { libc: true } : {}),
      ...(arm.workers > 1 ? { threads: true } : {}),
    }))
  );
}

/** One process for all arms, as it has one port. */
function commandOf(
  { serverFds, serverPort, serverStart }: Values,
  run: CommandLine,
  arms: readonly Arm[],
): ServerSpec {
  const connections = arms.reduce((sum, arm) => sum + arm.connections, 0);
  return {
    name: COMMAND,
    run,
    startMs: serverStart,
    flags: ["--port", `${serverPort}`, ...(serverFds > 0 ? ["--fds", `${serverFds}`] : [])],
    descriptors: descriptorsOf(connections, serverFds),
    mayEnd: true,
  };
}

/**
 * The file descriptors that each server of an arm may have.
 *
 * @param params the parameters
 * @param arm the arm
 * @returns the limit; 0 for that of the machine
 */
export function serverFdsOf({ serverFds }: Values, arm: Arm): number {
  return arm.serverFds ?? serverFds;
}

/** A limit of its own is there to be met: it is all that the process may take. */
function descriptorsOf(connections: number, fds: number): number {
  const wanted = connections + SPARE_DESCRIPTORS;
  return fds > 0 ? Math.min(fds, wanted) : wanted;
}

/** The brakes on the origin's command line, and a port of its own for the load, beside the one that tells. */
function flagsOf(params: Values, arm: Arm): string[] {
  const { brakes, stack, workers } = arm;
  const time = (name: string, ms: number) => ms > 0 ? [`--${name}`, `${ms}ms`] : [];
  const count = (name: string, value: number, least: number) =>
    value >= least ? [`--${name}`, `${value}`] : [];
  return [
    ...["--stack", stack, "--ports", "1"],
    ...time("header-timeout", brakes.headerTimeoutMs),
    ...time("idle-timeout", brakes.idleTimeoutMs),
    ...time("request-timeout", brakes.requestTimeoutMs),
    ...count("max-connections", brakes.maxConnections, 1),
    ...count("server-workers", workers, 2),
    ...count("fds", serverFdsOf(params, arm), 1),
  ];
}

/**
 * A server that runs already.
 *
 * @param url its URL
 * @param destination where that leads
 * @returns the subject
 */
export function targetSubject(url: string, { address, hostname, port, path }: Destination): Subject {
  return {
    words: url,
    servers: [{ key: null, address, hostname, port, statsPort: null, pid: null }],
    local: isLoopback(address),
    ownPath: path,
  };
}

/**
 * The servers that the lab started for an arm.
 *
 * @param params the parameters
 * @param arm the arm
 * @param handles the servers of the run
 * @returns the subject
 */
export function startedSubject(params: Values, arm: Arm, handles: ServerHandles): Subject {
  const { path, serverCommand, shards } = params;
  if (serverCommand !== null) {
    const { hostname, port, pid } = handles[COMMAND]!;
    return {
      words: describeCommand(serverCommand),
      servers: [{ key: COMMAND, address: hostname, hostname, port, statsPort: null, pid }],
      local: true,
      ownPath: path || "/",
    };
  }
  const servers = Array.from({ length: shards }, (_, index) => {
    const key = serverKey(arm, index);
    const { hostname, port: statsPort, ports, pid } = handles[key]!;
    return { key, address: hostname, hostname, port: ports[0]!, statsPort, pid };
  });
  return { words: arm.stack, servers, local: true, ownPath: null };
}

/**
 * Where the connections to a subject go.
 *
 * @param subject the subject
 * @param path the path with its query
 * @returns a target a server
 */
export function targetsOf({ servers }: Subject, path: string): LoadTarget[] {
  return servers.map(({ address, hostname, port }) => ({ address, hostname, port, path }));
}
