/** The first Linux that knows IP_BIND_ADDRESS_NO_PORT. Source: ip(7). */
export const BIND_NO_PORT_SINCE = "4.2";

/** The first Linux that knows IP_LOCAL_PORT_RANGE. Source: ip(7), commit 91d0b78c5177. */
export const LOCAL_RANGE_SINCE = "6.3";

/**
 * The first Linux whose connect() takes ports of both parities in turn where a socket has a range of its own.
 * Source: commit 207184853dbd, "tcp/dccp: change source port selection at connect() time".
 */
export const MIXED_PARITY_SINCE = "6.8";

/** The first Linux whose connect() prefers ports of one parity. Source: commit 07f4c90062f8. */
export const PARITY_SINCE = "4.2";

/**
 * Whether a kernel is a version or a later one.
 *
 * @param release what `uname -r` says, such as `6.18.44-generic`; `null` where it is not known
 * @param version major and minor version, such as `6.8`
 * @returns whether it is; `null` where the release is not known, or begins with no version
 *
 * @example
 * ```ts
 * import { isKernelFrom } from "./kernel.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["6.18.44-generic", "6.8.0", "5.15.0"].map((one) => isKernelFrom(one, "6.8")), [true, true, false]);
 * assertEquals(isKernelFrom(null, "6.8"), null);
 * ```
 */
export function isKernelFrom(release: string | null, version: string): boolean | null {
  const own = /^(\d+)\.(\d+)/.exec(release ?? "");
  if (own === null) return null;
  const [major, minor] = version.split(".").map(Number) as [number, number];
  const [ownMajor, ownMinor] = [Number(own[1]), Number(own[2])];
  return ownMajor > major || ownMajor === major && ownMinor >= minor;
}
