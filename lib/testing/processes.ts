import { childrenOf, isAlive } from "../system/mod.ts";
import { until } from "./until.ts";

/**
 * The processes below a process. Linux only.
 *
 * @param pid its id. @default {this process}
 * @returns their ids, each before those that it started, the older before the younger
 */
export function family(pid: number = Deno.pid): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...family(child)]);
}

/**
 * Waits until none of some processes lives.
 *
 * @param pids their ids
 * @param timeoutMs how long at most, in milliseconds
 * @throws {Error} one lives on
 */
export async function allGone(pids: readonly number[], timeoutMs = 10_000): Promise<void> {
  await until(() => !pids.some(isAlive), timeoutMs);
}
