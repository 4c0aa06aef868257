import { isIPv6 } from "node:net";
import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isExperimentFile, type Needs, type ServerSpec } from "../experiments/mod.ts";
import { CannotRunHereError, MisuseError } from "../record/mod.ts";
import { findProjectRoot } from "../store/mod.ts";
import { LIBC_CANDIDATES, libcPath } from "../system/mod.ts";
import { LAB_PATH } from "./layout.ts";

/** What a server may listen on and connect to when nothing else is said. */
const LOOPBACK: readonly string[] = ["127.0.0.1"];

/** The parts of the system that the environment is read from. */
const SYSTEM_FACTS = "--allow-sys=osRelease,cpus,loadavg,systemMemoryInfo";

/**
 * A right to some things and to nothing else.
 *
 * @param name such as `read`
 * @param things paths, hosts, or programs
 * @returns a permission flag; none for no things
 * @throws {CannotRunHereError} a name holds a comma: it would be read as two, and one of them could be `/`
 * @throws {MisuseError} no host can be called so
 */
export function allow(
  name: "read" | "write" | "net" | "import" | "run",
  things: readonly string[],
): string[] {
  if (things.length === 0) return [];
  const whole = things.map(withoutComma);
  const named = name === "net" ? whole.map(hostRight) : whole;
  return [`--allow-${name}=${[...new Set(named)].join()}`];
}

/**
 * A host as Deno takes it: an address of IPv6 in brackets. Deno refuses to start a process with the right to what no
 * host can be.
 */
function hostRight(thing: string): string {
  const bracketed = isIPv6(thing) ? `[${thing}]` : thing;
  const address = /^\[([\da-f:.]+)\](:\d+)?$/i.exec(bracketed)?.[1];
  if (address === undefined ? /^[\w-]+(\.[\w-]+)*\.?(:\d+)?$/.test(thing) : isIPv6(address)) return bracketed;
  throw new MisuseError(`Cannot give a process the right to connect to ${thing} as it is no name of a host`);
}

/** Deno's flags have no escape for a comma, but take a path from the working folder, which may be free of it. */
function withoutComma(thing: string): string {
  if (!thing.includes(",")) return thing;
  const short = isAbsolute(thing) ? relative(Deno.cwd(), thing) || "." : thing;
  if (!short.includes(",")) return short;
  throw new CannotRunHereError(
    `Cannot give a process the right to ${thing} as Deno's permissions cannot hold its comma`,
    "Use a name without a comma",
  );
}

/** The C library, for `/proc`, `/sys` and the socket table. */
function libcRight(): string[] {
  const path = libcPath();
  return path === null ? [] : [`--allow-ffi=${path}`];
}

/**
 * The rights to look at the machine.
 *
 * @returns permission flags
 */
export function systemRights(): string[] {
  return [...libcRight(), SYSTEM_FACTS];
}

/**
 * Loading an experiment: the lab's own files, and what a person's file may import. That is everything in its
 * project (the nearest folder above it with a `deno.json`, else its own), or what the host serves that its
 * URL names.
 */
function loadingRights(experiment: string, readable: readonly string[] = []): string[] {
  const lab = [LAB_PATH, ...LIBC_CANDIDATES, ...readable];
  if (!isExperimentFile(experiment)) return allow("read", lab);
  const url = new URL(experiment);
  if (url.protocol !== "file:") return [...allow("read", lab), ...allow("import", [url.host])];
  const folder = dirname(fileURLToPath(url));
  return allow("read", [...lab, findProjectRoot(folder) ?? folder]);
}

/**
 * The rights to tell what an experiment is: to load it, and to end in time.
 *
 * @param experiment the experiment's id or URL
 * @returns permission flags
 */
export function describingRights(experiment: string): string[] {
  return [...loadingRights(experiment), ...libcRight()];
}

/**
 * The rights of the supervisor: it writes the runs and starts Deno, git to tell the commit, and unshare to see
 * whether a run can have a network of its own. A program that a person named it hands on, to the one server that
 * starts it.
 *
 * @param experiment the experiment's id or URL
 * @param dataDirectory the folder that takes the run
 * @param programs names or paths of programs that a person named as servers. @default {none}
 * @returns permission flags
 */
export function supervisorRights(
  experiment: string,
  dataDirectory: string,
  programs: readonly string[] = [],
): string[] {
  return [
    ...loadingRights(experiment, [dataDirectory]),
    ...libcRight(),
    ...allow("write", [dataDirectory]),
    ...allow("run", ["deno", "git", "unshare", ...programs]),
    "--allow-sys=loadavg",
  ];
}

/**
 * The rights of the measuring process: sockets to the named hosts and the socket table; it starts no
 * program and writes no file.
 *
 * @param experiment the experiment's id or URL
 * @param needs what the experiment asked for
 * @returns permission flags
 */
export function measuringRights(experiment: string, needs: Needs): string[] {
  return [...loadingRights(experiment), ...systemRights(), ...allow("net", needs.net)];
}

/** The right to start threads from the lab's files, and `SO_REUSEPORT`, which `Deno.serve` has as unstable. */
function threadRights(): string[] {
  return [...allow("read", [LAB_PATH]), "--unstable-net"];
}

/**
 * The rights of a server: to listen, perhaps to connect onward, to call the C library and to start threads if its spec
 * says so, and to start the one program that it keeps, which takes the C library too.
 *
 * @param spec its addresses (@default {loopback}), and whether it calls the C library, starts threads or a program
 * @returns permission flags
 */
export function serverRights(
  { net = LOOPBACK, libc = false, threads = false, run }: Pick<
    ServerSpec,
    "net" | "libc" | "threads" | "run"
  >,
): string[] {
  return [
    ...allow("net", net),
    ...(libc || run !== undefined ? libcRight() : []),
    ...(threads ? threadRights() : []),
    ...allow("run", run === undefined ? [] : [run.program]),
  ];
}
