import { libc, openLibc } from "./libc.ts";

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

/**
 * Lowers the descriptor limits of this process, and of those that it starts, for good: only with a privilege could it
 * raise the hard one again. Descriptors that are open stay open.
 *
 * Needs `--allow-ffi` of the C library. Source: setrlimit(2).
 *
 * @param count how many file descriptors it may have open from now on
 * @returns the limits that are in force now
 * @throws {RangeError} the count is not an integer >= 1
 * @throws {Error} the system refuses: the count is above the hard limit
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function limitDescriptors(count: number): DescriptorLimits {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new RangeError(
      `Cannot limit descriptors as the limit must be an integer >= 1: current value is ${count}`,
    );
  }
  const { setrlimit } = openLibc({ setrlimit: { parameters: ["i32", "buffer"], result: "i32" } });
  const wanted = BigUint64Array.of(BigInt(count), BigInt(count));
  if (setrlimit(RLIMIT_NOFILE, wanted) === 0) return descriptorLimits();
  throw new Error(
    `Cannot limit descriptors to ${count} as the system refuses: the hard limit is ${descriptorLimits().hard}`,
  );
}
