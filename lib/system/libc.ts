import { LIBC_CANDIDATES } from "./libc_path.ts";

const SYMBOLS = {
  // Variadic in C; without a third argument the call is the same for both kinds.
  open: { parameters: ["buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  access: { parameters: ["buffer", "i32"], result: "i32" },
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  kill: { parameters: ["i32", "i32"], result: "i32" },
  // It waits, and so in another thread than the one that calls.
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
} as const;

/**
 * The functions of the C library that the lab calls, -1 for a failure. Why a call failed is asked with
 * another call whose result tells: `errno` is unreliable by the time that a second call could read it.
 */
export type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: Libc | null = null;

/**
 * The C library, opened at the first call.
 *
 * Needs `--allow-ffi` of {@linkcode libcPath}'s result, or of everything.
 *
 * @returns its functions
 * @throws {Deno.errors.NotSupported} there is none at a known place, or this process may not open it
 */
export function libc(): Libc {
  return opened ??= openLibc(SYMBOLS);
}

/**
 * The C library with some functions of its own: what only a part of the lab calls stands beside that part,
 * and a system that lacks it is missing no more than that part.
 *
 * Needs `--allow-ffi` of {@linkcode libcPath}'s result, or of everything.
 *
 * @param symbols the functions
 * @returns them
 * @throws {Deno.errors.NotSupported} there is none at a known place, it lacks a function that is not marked
 * `optional`, or this process may not open it
 */
export function openLibc<const S extends Deno.ForeignLibraryInterface>(
  symbols: S,
): Deno.DynamicLibrary<S>["symbols"] {
  const permitted = LIBC_CANDIDATES.filter((path) =>
    Deno.permissions.querySync({ name: "ffi", path }).state === "granted"
  );
  for (const path of permitted) {
    try {
      return Deno.dlopen(path, symbols).symbols;
    } catch {
      // Absent, built for another processor, or without such a function: the next place may have it.
    }
  }
  throw new Deno.errors.NotSupported(`Cannot open the C library as ${whyNot(permitted)}`);
}

function whyNot(permitted: readonly string[]): string {
  if (LIBC_CANDIDATES.length === 0) return `there is none on ${Deno.build.os}`;
  if (permitted.length === 0) return "this process has no right to: run it with --allow-ffi";
  return `it is at none of the known places: ${permitted.join(", ")}`;
}

/**
 * A path as C wants it.
 *
 * @param path the path
 * @returns its bytes, with a zero at the end
 */
export function cString(path: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${path}\0`);
}
