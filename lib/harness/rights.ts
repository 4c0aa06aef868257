import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Needs } from "../experiments/mod.ts";
import { isExperimentFile } from "../experiments/mod.ts";
import { LIBC_CANDIDATES, libcPath } from "../system/mod.ts";
import { LAB_PATH } from "./layout.ts";

/** The C library, for `/proc`, `/sys` and the socket table. */
function libcRight(): string[] {
  const path = libcPath();
  return path === null ? [] : [`--allow-ffi=${path}`];
}

/** The parts of the system that the environment is read from. */
const SYSTEM_FACTS = "--allow-sys=osRelease,cpus,loadavg,systemMemoryInfo";

/**
 * The rights to look at the machine.
 *
 * @returns permission flags
 */
export function systemRights(): string[] {
  return [...libcRight(), SYSTEM_FACTS];
}

/** Loading an experiment: the lab's own files, and the folder or host of a person's file. */
function loadingRights(experiment: string, ...readable: string[]): string[] {
  const read = [LAB_PATH, ...LIBC_CANDIDATES, ...readable];
  if (!isExperimentFile(experiment)) return [`--allow-read=${read.join()}`];
  const url = new URL(experiment);
  if (url.protocol === "file:") return [`--allow-read=${[...read, dirname(fileURLToPath(url))].join()}`];
  return [`--allow-read=${read.join()}`, `--allow-import=${url.host}`];
}

/**
 * The rights of the supervisor: it writes the runs and starts Deno, and git to tell the commit.
 *
 * @param experiment the experiment's id or URL
 * @param dataDirectory the folder that takes the run
 * @returns permission flags
 */
export function supervisorRights(experiment: string, dataDirectory: string): string[] {
  return [
    ...loadingRights(experiment, dataDirectory),
    ...libcRight(),
    `--allow-write=${dataDirectory}`,
    "--allow-run=deno,git",
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
  const net = needs.net.length > 0 ? [`--allow-net=${needs.net.join()}`] : [];
  return [...loadingRights(experiment), ...systemRights(), ...net];
}

/** The rights of a server: to listen on loopback, and libc for what it tells of itself. */
export const SERVER_RIGHTS: readonly string[] = ["--allow-net=127.0.0.1"];
