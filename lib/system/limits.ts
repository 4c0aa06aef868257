import { libc } from "./libc.ts";

/** How many file descriptors a process may have open. */
export interface DescriptorLimits {
  /** The limit in force; `Infinity` for none. Deno raises it to `hard` when it starts. */
  readonly soft: number;
  /** How far it may be raised; `Infinity` for no limit. */
  readonly hard: number;
}

const RLIMIT_NOFILE = Deno.build.os === "darwin" ? 8 : 7;

/** RLIM_INFINITY is beyond every count, and another number on every system. */
function limitAt(view: DataView, offset: number): number {
  const limit = Number(view.getBigUint64(offset, true));
  return limit > Number.MAX_SAFE_INTEGER ? Infinity : limit;
}

/**
 * The descriptor limits of this process.
 *
 * Needs `--allow-ffi` of the C library. Source: getrlimit(2).
 *
 * @returns both limits
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function descriptorLimits(): DescriptorLimits {
  const limits = new DataView(new ArrayBuffer(16));
  if (libc().getrlimit(RLIMIT_NOFILE, limits) !== 0) {
    throw new Error("Cannot read the descriptor limits as the system refused");
  }
  return { soft: limitAt(limits, 0), hard: limitAt(limits, 8) };
}
