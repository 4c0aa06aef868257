import { CannotRunHereError, MisuseError, type ParamSchema } from "../../lib/record/mod.ts";
import { announce, Lifeline } from "../../lib/system/mod.ts";
import { type ReadFlags, readFlags, type ServerUsage, usageOf } from "./flags.ts";

/** Where a server listens. */
export interface Listening {
  /** The address. */
  readonly hostname: string;
  /** The first port. */
  readonly port: number;
  /** Further ports: for each server to say what they are. */
  readonly ports: readonly number[];
  /** Where the first of those tells what the server has seen, a path. @default {nowhere} */
  readonly seen?: string;
  /** The process that serves. @default {this one} */
  readonly pid?: number;
  /** Ends what would go on without this process. @default {nothing would} */
  readonly close?: () => Promise<void>;
}

/**
 * Runs a server as a program: reads its flags, has it listen, announces where, serves until its lifeline
 * ends, and exits with the status that tells why it ended.
 *
 * @param server what it is on the command line
 * @param listen begins to listen; what its parent says beforehand comes over the lifeline
 */
export async function runServer<S extends ParamSchema>(
  server: ServerUsage<S>,
  listen: (flags: ReadFlags<S>, lifeline: Lifeline) => Promise<Listening>,
): Promise<never> {
  try {
    const flags = readFlags(server, Deno.args);
    if (flags === null) {
      console.log(usageOf(server));
      Deno.exit(0);
    }
    using lifeline = new Lifeline();
    const { hostname, port, ports, seen, pid = Deno.pid, close } = await listen(flags, lifeline);
    const told = seen === undefined ? {} : { seen: `http://${bracketed(hostname)}:${ports[0]}${seen}` };
    announce({ hostname, port, ports, pid, ...told });
    while (await lifeline.nextLine() !== null);
    await close?.();
    // Requests in flight have nobody left who waits for them.
    Deno.exit(0);
  } catch (error) {
    if (error instanceof MisuseError) {
      console.error(error.message);
      Deno.exit(2);
    }
    if (error instanceof CannotRunHereError) {
      console.error(error.message);
      Deno.exit(3);
    }
    throw error;
  }
}

/**
 * Makes sure of the right to listen on an address or to connect to it. Asked first, as `node:net` and
 * `node:http` under Deno throw out of reach when it is missing.
 *
 * @param action what it is for: `listen on`, `connect to`
 * @param hostname the address, an IPv6 one without brackets
 * @throws {CannotRunHereError} the right is missing
 */
export async function requireRight(action: string, hostname: string): Promise<void> {
  const host = bracketed(hostname);
  const { state } = await Deno.permissions.request({ name: "net", host });
  if (state === "granted") return;
  throw new CannotRunHereError(
    `Cannot ${action} ${hostname} as the right to is missing`,
    `Start it with --allow-net=${host}, or name the address in an experiment as the \`net\` of its server`,
  );
}

/** An address as it stands before a port. */
function bracketed(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}

/**
 * What is thrown when a server cannot listen.
 *
 * @param hostname the address
 * @param port the port
 * @param cause what the runtime said
 * @returns the error, with what helps
 */
export function cannotListen(hostname: string, port: number, cause: unknown): CannotRunHereError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const remedy = /too many open files/i.test(message)
    ? "Ask for fewer ports, or raise the hard limit of file descriptors (ulimit -Hn)"
    : "Choose a free port and an address of this machine";
  return new CannotRunHereError(`Cannot listen on ${hostname}:${port}: ${message}`, remedy, { cause });
}
