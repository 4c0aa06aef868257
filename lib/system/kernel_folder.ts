import { cString, libc, openLibc } from "./libc.ts";

/** O_RDONLY | O_DIRECTORY | O_CLOEXEC on Linux; the first two differ between processors. */
const O_DIRECTORY = Deno.build.arch === "aarch64" ? 0o40000 : 0o200000;
const FLAGS = O_DIRECTORY | 0o2000000;

/** Where the parts of `struct linux_dirent64` begin. */
const LENGTH_AT = 16;
const NAME_AT = 19;

const SYMBOLS = { getdents64: { parameters: ["i32", "buffer", "usize"], result: "isize" } } as const;

let opened: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | null = null;

const entries = new Uint8Array(32 * 1024);
const view = new DataView(entries.buffer);
const decoder = new TextDecoder();

/**
 * The names in a folder of `/proc` or `/sys`, through the C library as {@linkcode readKernelFile} reads its files.
 *
 * Needs `--allow-ffi` of the C library. Linux only. Source: getdents(2).
 *
 * @param path the absolute path
 * @returns the names, without `.` and `..`
 * @throws {Deno.errors.NotFound} there is no such folder, or what it tells of is gone
 * @throws {Deno.errors.NotSupported} the C library cannot be opened, or has no such call
 */
export function listKernelFolder(path: string): string[] {
  const { getdents64 } = opened ??= openLibc(SYMBOLS);
  const { open, close } = libc();
  const descriptor = open(cString(path), FLAGS);
  if (descriptor < 0) throw new Deno.errors.NotFound(`Cannot list ${path} as it cannot be opened`);
  try {
    const names: string[] = [];
    for (;;) {
      const length = Number(getdents64(descriptor, entries, BigInt(entries.length)));
      if (length < 0) throw new Deno.errors.NotFound(`Cannot list ${path} as what it tells of is gone`);
      if (length === 0) return names.filter((name) => name !== "." && name !== "..");
      for (let at = 0; at < length; at += view.getUint16(at + LENGTH_AT, true)) {
        names.push(nameAt(at + NAME_AT));
      }
    }
  } finally {
    close(descriptor);
  }
}

function nameAt(start: number): string {
  return decoder.decode(entries.subarray(start, entries.indexOf(0, start)));
}
