import { cString, libc } from "./libc.ts";

/** O_RDONLY | O_CLOEXEC on Linux, the only system with these files. */
const OPEN_FLAGS = 0o2000000;
const F_OK = 0;
const R_OK = 4;
const INITIAL_BYTES = 256 * 1024;

/** Kept between calls and never shrunk: a table that is polled would otherwise allocate megabytes each time. */
let buffer = new Uint8Array(INITIAL_BYTES);
const decoder = new TextDecoder();

/** Why a file could not be opened or read, from what the system says of its path. */
function refusal(path: string, otherwise: string): Error {
  const { access } = libc();
  const at = cString(path);
  if (access(at, F_OK) !== 0) {
    return new Deno.errors.NotFound(`Cannot read ${path} as it does not exist`);
  }
  if (access(at, R_OK) !== 0) {
    return new Deno.errors.PermissionDenied(`Cannot read ${path} as the system does not permit it`);
  }
  return new Error(`Cannot read ${path} as ${otherwise}`);
}

function openKernelFile(path: string): number {
  const descriptor = libc().open(cString(path), OPEN_FLAGS);
  if (descriptor < 0) throw refusal(path, "it cannot be opened: this process may be out of descriptors");
  return descriptor;
}

/**
 * Opens a file of `/proc` or `/sys` and closes it, to see whether it can be read without reading it.
 *
 * Needs `--allow-ffi` of the C library.
 *
 * @param path the absolute path
 * @throws {Error} as {@linkcode readKernelFile} does
 */
export function probeKernelFile(path: string): void {
  libc().close(openKernelFile(path));
}

/**
 * Reads a file of `/proc` or `/sys` through the C library, since Deno refuses these folders to every
 * process without all permissions. The kernel makes the text while it is read, a page at a time: a long
 * table is no snapshot of one moment.
 *
 * Needs `--allow-ffi` of the C library, and no right to read.
 *
 * @param path the absolute path
 * @returns the text
 * @throws {Deno.errors.NotFound} there is no such file, or what it tells of is gone
 * @throws {Deno.errors.PermissionDenied} the system does not permit it
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 *
 * @example
 * ```ts ignore
 * readKernelFile("/proc/sys/net/ipv4/tcp_tw_reuse"); // "2\n"
 * ```
 */
export function readKernelFile(path: string): string {
  const { read, close } = libc();
  const descriptor = openKernelFile(path);
  try {
    let length = 0;
    for (;;) {
      if (length === buffer.length) {
        const grown = new Uint8Array(buffer.length * 2);
        grown.set(buffer);
        buffer = grown;
      }
      const count = Number(read(descriptor, buffer.subarray(length), BigInt(buffer.length - length)));
      if (count < 0) throw refusal(path, "the system refused in the middle");
      if (count === 0) return decoder.decode(buffer.subarray(0, length));
      length += count;
    }
  } finally {
    close(descriptor);
  }
}
