import { readNetworkSetting } from "./network_settings.ts";
import { REUSE_DELAY_MS } from "./port_budget.ts";

/**
 * From when on a port in TIME_WAIT may be used again, where `net.ipv4.tcp_tw_reuse` allows that, in milliseconds:
 * `net.ipv4.tcp_tw_reuse_delay` of the calling thread's network namespace, and 1 s where the kernel has no such
 * setting (before 6.14) or it cannot be read.
 *
 * Needs `--allow-ffi` of the C library.
 *
 * @param read reads a network setting by its name. @default {the kernel's}
 * @returns the delay
 *
 * @example
 * ```ts
 * import { reuseDelayMs } from "./reuse_delay.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(reuseDelayMs(() => "250"), 250);
 * ```
 */
export function reuseDelayMs(read: (name: string) => string = readNetworkSetting): number {
  let text: string;
  try {
    text = read("net.ipv4.tcp_tw_reuse_delay");
  } catch {
    return REUSE_DELAY_MS;
  }
  return /^\d+$/.test(text) ? Number(text) : REUSE_DELAY_MS;
}
