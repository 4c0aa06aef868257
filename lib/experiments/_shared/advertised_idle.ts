/** What a response head is looked for in. Nobody sends a larger one. */
const LONGEST_TEXT = 65_536;

/**
 * How long a server says that it keeps an idle connection: `Keep-Alive: timeout=5`. It is a hint, in whole
 * seconds; servers that send none have a limit all the same, and some keep to another one.
 *
 * Source: RFC 2068 §19.7.1.1, which names the field and leaves its parameters open; `timeout` as in
 * draft-thomson-hybi-http-timeout-03 §2.
 *
 * @param text the beginning of what the server sent: the head of a response, interim ones before it too
 * @returns the time in milliseconds; `null` when it says none
 *
 * @example
 * ```ts
 * import { advertisedIdleMs } from "./advertised_idle.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(advertisedIdleMs("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\n\r\n"), 5000);
 * assertEquals(advertisedIdleMs("HTTP/1.1 200 OK\r\n\r\nkeep-alive: timeout=5"), null);
 * ```
 */
export function advertisedIdleMs(text: string): number | null {
  const heads = text.slice(0, LONGEST_TEXT).split("\r\n\r\n");
  const head = heads.find((head) => !/^HTTP\/1\.\d 1\d\d/.test(head)) ?? "";
  for (const [, value] of head.matchAll(/^keep-alive:(.*)$/gim)) {
    const [, seconds] = /(?:^|[,\s])timeout\s*=\s*"?(\d{1,9})"?\s*(?:,|$)/i.exec(value!) ?? [];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return null;
}
