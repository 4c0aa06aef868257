import { parseArgs } from "@std/cli/parse-args";
import { closest, MisuseError } from "../../lib/record/mod.ts";
import { type Stack, STACKS } from "./counters.ts";

/** What the origin is told. */
export interface OriginFlags {
  /** What serves. */
  readonly stack: Stack;
  /** The address to listen on. */
  readonly hostname: string;
  /** The first port; 0 for any. */
  readonly port: number;
  /** How many further ports. */
  readonly ports: number;
}

/** What `--help` prints. */
export const USAGE = `Serves a few paths for experiments with connections, and counts what comes.

Usage: origin [--stack deno|node] [--hostname 127.0.0.1] [--port 0] [--ports 0]

  --stack      Deno.serve or node:http (deno)
  --hostname   the address to listen on (127.0.0.1)
  --port       the first port; 0 lets the system choose (0)
  --ports      further ports that the system chooses, each with counts of its own (0)

Paths, for GET, HEAD and POST:

  /conn                   the connection's number and the client's port
  /static?bytes=64        a body of that size
  /compute?difficulty=1   200,000 iterations of a hash for each unit
  /sleep?ms=1000          an answer after that time; /slow is the same
  /stats, /stats?port=N   what all listeners, or one, have counted

It prints one line of JSON when it listens, and ends at a line "stop" or the end of its standard input.
`;

const NAMES = ["stack", "hostname", "port", "ports", "help"];

function wholeNumber(name: string, text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value <= max) return value;
  throw new MisuseError(
    `Cannot start origin as --${name} must be a whole number from 0 to ${max}: current value is ${
      text || "empty"
    }`,
  );
}

/**
 * Reads the flags of the origin.
 *
 * @param args the command line
 * @returns the flags; `null` when help is wanted
 * @throws {MisuseError} a flag is unknown, or its value is out of range
 */
export function readFlags(args: string[]): OriginFlags | null {
  const { stack, hostname, port, ports, help } = parseArgs(args, {
    string: ["stack", "hostname", "port", "ports", "_"],
    boolean: ["help"],
    default: { stack: "deno", hostname: "127.0.0.1", port: "0", ports: "0" },
    unknown(arg, key) {
      if (key === undefined) {
        throw new MisuseError(`Cannot start origin as it takes flags only: current value is ${arg}`);
      }
      const near = closest(key, NAMES);
      throw new MisuseError(
        `Cannot start origin as there is no flag ${arg.split("=", 1)[0]}` +
          (near === null ? "" : `: did you mean --${near}`),
      );
    },
  });
  if (help) return null;
  if (hostname === "") throw new MisuseError("Cannot start origin as --hostname must not be empty");
  const known = STACKS.find((name) => name === stack);
  if (known === undefined) {
    throw new MisuseError(
      `Cannot start origin as --stack must be one of ${STACKS.join(", ")}: current value is ${
        stack || "empty"
      }`,
    );
  }
  return {
    stack: known,
    hostname,
    port: wholeNumber("port", port, 65_535),
    ports: wholeNumber("ports", ports, 10_000),
  };
}
