import { parsePortList } from "./port_list.ts";
import { readKernelFile, writeKernelFile } from "./proc.ts";

/** The value of a network setting: two numbers are the first and the last of a range. */
export type NetworkSetting = string | number | readonly [low: number, high: number];

/** Network settings by their name, such as `net.ipv4.tcp_tw_reuse`. */
export type NetworkSettings = Readonly<Record<string, NetworkSetting>>;

/** Settings that the kernel says in its own way: in order, and with ranges joined. */
const PORT_LISTS: ReadonlySet<string> = new Set(["net.ipv4.ip_local_reserved_ports"]);

/**
 * The file of a setting.
 *
 * Source: sysctl(8), proc(5).
 */
function fileOf(name: string): string {
  if (/^net(?:\.[\w-]+)+$/.test(name)) return `/proc/sys/${name.replaceAll(".", "/")}`;
  throw new TypeError(`Cannot find setting ${name} as its name must be such as net.ipv4.tcp_tw_reuse`);
}

/**
 * Reads a network setting of the calling thread's network namespace.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @param name such as `net.ipv4.tcp_tw_reuse`
 * @returns its value, with one space between the parts
 * @throws {TypeError} that is no name of a network setting
 * @throws {Deno.errors.NotFound} the kernel has none of the name, or not in this namespace
 *
 * @example
 * ```ts ignore
 * readNetworkSetting("net.ipv4.ip_local_port_range"); // "32768 60999"
 * ```
 */
export function readNetworkSetting(name: string): string {
  return readKernelFile(fileOf(name)).trim().replaceAll(/\s+/g, " ");
}

/**
 * Writes a network setting of the calling thread's network namespace, and reads it back. The caller makes sure
 * that the namespace is the run's own.
 *
 * @param name such as `net.ipv4.tcp_tw_reuse`
 * @param value its new value
 * @throws {TypeError} that is no name of a network setting
 * @throws {Error} the kernel did not take the value
 */
export function writeNetworkSetting(name: string, value: NetworkSetting): void {
  const wanted = typeof value === "object" ? value.join(" ") : String(value);
  const file = fileOf(name);
  try {
    writeKernelFile(file, `${wanted}\n`);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound
      ? "the kernel has none of that name in this network"
      : cause instanceof Deno.errors.PermissionDenied
      ? "the system does not permit it"
      : `the kernel does not take the value: it stays at ${readNetworkSetting(name)}`;
    throw new Error(`Cannot set ${name} to ${wanted} as ${reason}`, { cause });
  }
  const found = readNetworkSetting(name);
  if (!isSame(name, wanted, found)) {
    throw new Error(`Cannot set ${name} to ${wanted} as the kernel made it ${found || "empty"}`);
  }
}

function isSame(name: string, wanted: string, found: string): boolean {
  if (!PORT_LISTS.has(name)) return wanted === found;
  return JSON.stringify(parsePortList(wanted)) === JSON.stringify(parsePortList(found));
}
