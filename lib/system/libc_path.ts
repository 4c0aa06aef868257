const GLIBC_TRIPLETS: Readonly<Record<string, string>> = {
  x86_64: "x86_64-linux-gnu",
  aarch64: "aarch64-linux-gnu",
};

function candidates(os: string, arch: string): readonly string[] {
  if (os === "darwin") return ["/usr/lib/libSystem.B.dylib"];
  if (os !== "linux") return [];
  const triplet = GLIBC_TRIPLETS[arch];
  return [
    ...(triplet === undefined ? [] : [`/lib/${triplet}/libc.so.6`, `/usr/lib/${triplet}/libc.so.6`]),
    "/lib64/libc.so.6",
    "/usr/lib64/libc.so.6",
    "/usr/lib/libc.so.6",
  ];
}

/**
 * Where this system's C library may be: Debian's, Fedora's and Arch's places for glibc, libSystem on
 * macOS, nothing on Windows. The 64-bit places come first, since `/usr/lib` holds the 32-bit library on
 * some systems.
 *
 * Source: Debian Multiarch specification; Filesystem Hierarchy Standard 3.0, 3.10 (`/lib<qual>`).
 */
export const LIBC_CANDIDATES: readonly string[] = candidates(Deno.build.os, Deno.build.arch);

function isPresent(path: string): boolean {
  // macOS keeps libSystem in the loader's shared cache: it can be loaded, yet there is no such file.
  if (Deno.build.os === "darwin") return true;
  // Asking first keeps a terminal free of a permission prompt for each candidate.
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return false;
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/**
 * The C library that a process of the lab is given: whoever starts one passes
 * `--allow-ffi=${libcPath()}`. Deno compares that path with the one that is opened as text, so a name
 * such as `libc.so.6` or a resolved link would not do.
 *
 * Needs `--allow-read` of {@linkcode LIBC_CANDIDATES}: what may not be read counts as absent.
 *
 * @returns the first candidate that exists, `null` where none does
 *
 * @example
 * ```ts ignore
 * const path = libcPath();
 * const args = ["run", ...(path === null ? [] : [`--allow-ffi=${path}`]), "program.ts"];
 * ```
 */
export function libcPath(): string | null {
  return LIBC_CANDIDATES.find(isPresent) ?? null;
}
