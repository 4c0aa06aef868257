import { cString, libc } from "./libc.ts";

/** O_RDONLY | O_CLOEXEC, and O_WRONLY | O_CLOEXEC, on Linux, the only system with these files. */
const READ_FLAGS = 0o2000000;
const WRITE_FLAGS = 0o2000001;
/** Modes of access(2). */
const F_OK = 0;
const W_OK = 2;
const R_OK = 4;
const INITIAL_BYTES = 256 * 1024;

/** Kept between calls and never shrunk: a table that is polled would otherwise allocate megabytes each time. */
let buffer = new Uint8Array(INITIAL_BYTES);
const decoder = new TextDecoder();

/** What is done with a file, as open(2) and access(2) are told. */
const WAYS = {
  read: { flags: READ_FLAGS, mode: R_OK },
  write: { flags: WRITE_FLAGS, mode: W_OK },
} as const;

type Way = keyof typeof WAYS;

/** Why a file could not be opened, read or written, from what the system says of its path. */
function refusal(way: Way, path: string, otherwise: string): Error {
  const { access } = libc();
  const at = cString(path);
  if (access(at, F_OK) !== 0) {
    return new Deno.errors.NotFound(`Cannot ${way} ${path} as it does not exist`);
  }
  if (access(at, WAYS[way].mode) !== 0) {
    return new Deno.errors.PermissionDenied(`Cannot ${way} ${path} as the system does not permit it`);
  }
  return new Error(`Cannot ${way} ${path} as ${otherwise}`);
}

function openKernelFile(path: string, way: Way): number {
  const descriptor = libc().open(cString(path), WAYS[way].flags);
  if (descriptor < 0) throw refusal(way, path, "it cannot be opened: this process may be out of descriptors");
  return descriptor;
}

/**
 * Opens a file of `/proc` or `/sys` and closes it, to see whether it can be read, or written, without doing so.
 *
 * Needs `--allow-ffi` of the C library.
 *
 * @param path the absolute path
 * @param way what would be done with it
 * @throws {Error} as {@linkcode readKernelFile} and {@linkcode writeKernelFile} do
 */
export function probeKernelFile(path: string, way: "read" | "write" = "read"): void {
  libc().close(openKernelFile(path, way));
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
  const descriptor = openKernelFile(path, "read");
  try {
    let length = 0;
    for (;;) {
      if (length === buffer.length) {
        const grown = new Uint8Array(buffer.length * 2);
        grown.set(buffer);
        buffer = grown;
      }
      const count = Number(read(descriptor, buffer.subarray(length), BigInt(buffer.length - length)));
      if (count < 0) throw refusal("read", path, "the system refused in the middle");
      if (count === 0) return decoder.decode(buffer.subarray(0, length));
      length += count;
    }
  } finally {
    close(descriptor);
  }
}

/**
 * Writes a file of `/proc` or `/sys` through the C library, in one call, as the kernel takes its settings.
 *
 * Needs `--allow-ffi` of the C library, and no right to write.
 *
 * @param path the absolute path
 * @param text what it is to hold
 * @throws {Deno.errors.NotFound} there is no such file
 * @throws {Deno.errors.PermissionDenied} the system does not permit it
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 * @throws {Error} the kernel does not take the text
 */
export function writeKernelFile(path: string, text: string): void {
  const { write, close } = libc();
  const descriptor = openKernelFile(path, "write");
  try {
    const bytes = new TextEncoder().encode(text);
    const count = Number(write(descriptor, bytes, BigInt(bytes.length)));
    if (count !== bytes.length) throw refusal("write", path, `the kernel does not take ${text}`);
  } finally {
    close(descriptor);
  }
}
