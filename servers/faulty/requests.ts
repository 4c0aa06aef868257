/** A request, as far as a faulty server looks at it. */
export interface ReceivedRequest {
  /** The method. */
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
}

/** The largest head, in bytes. */
const MAX_HEAD_BYTES = 65_536;

/**
 * Reads requests one after another. A body is passed over by its `Content-Length`; one that comes in chunks
 * is not understood.
 *
 * @param pieces what comes over a connection
 * @returns each request when it has come whole; it ends at the end of the connection, or at what is no request
 *
 * @example
 * ```ts
 * import { readRequests } from "./requests.ts";
 * import { assertEquals } from "@std/assert";
 * async function* pieces() {
 *   yield new TextEncoder().encode("GET /a HTTP/1.1\r\n\r\nPOST /b HT");
 *   yield new TextEncoder().encode("TP/1.1\r\nContent-Length: 3\r\n\r\nxyz");
 * }
 * assertEquals(await Array.fromAsync(readRequests(pieces())), [
 *   { method: "GET", path: "/a" },
 *   { method: "POST", path: "/b" },
 * ]);
 * ```
 */
export async function* readRequests(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedRequest> {
  // One character a byte, so that lengths are counted in bytes.
  const decoder = new TextDecoder("latin1");
  let text = "";
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    for (;;) {
      const end = text.indexOf("\r\n\r\n") + 4;
      if (end < 4) {
        if (text.length > MAX_HEAD_BYTES) return;
        break;
      }
      const head = text.slice(0, end);
      const [, method, path] = /^([!-~]+) ([!-~]+) HTTP\/1\.[01]\r\n/.exec(head) ?? [];
      if (method === undefined || path === undefined) return;
      const whole = end + Number(/\r\ncontent-length: *(\d+) *\r\n/i.exec(head)?.[1] ?? 0);
      if (text.length < whole) break;
      text = text.slice(whole);
      yield { method, path };
    }
  }
}
