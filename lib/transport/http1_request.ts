/** The methods that the clients send. None of them carries a body here. */
export type Method = "GET" | "HEAD" | "POST";

/** What is asked, and of whom. */
export interface RequestHead {
  /** The method. */
  readonly method: Method;
  /** The path with its query, beginning with `/`. */
  readonly path: string;
  /** The address or name for the `Host` field, an IPv6 address without brackets. */
  readonly hostname: string;
  /** The port for the `Host` field. */
  readonly port: number;
  /** The whole `Host` field, where another one is wanted. @default {host name and port} */
  readonly host?: string;
}

/** What a request target in origin form may hold: visible ASCII without `#`. RFC 9112 §3.2.1. */
const PATH = /^\/[!"$-~]*$/;
const HOSTNAME = /^[0-9A-Za-z._:%-]+$/;
/** Visible ASCII, so that a field stays one field. */
const HOST = /^[!-~]+$/;

const encoder = new TextEncoder();

/**
 * Refuses a path that does not fit into a request line.
 *
 * @param path the path with its query
 * @throws {TypeError} it does not begin with `/`, or holds other than visible ASCII without `#`
 */
export function checkPath(path: string): void {
  if (PATH.test(path)) return;
  throw new TypeError(
    `Cannot send request as its path must begin with / and hold visible ASCII without #: ` +
      `current value is ${JSON.stringify(path)}`,
  );
}

/**
 * Refuses what does not fit into a `Host` field.
 *
 * @param host the field's value
 * @throws {TypeError} it is empty, or holds other than visible ASCII
 */
export function checkHost(host: string): void {
  if (HOST.test(host)) return;
  throw new TypeError(
    `Cannot send request as its Host field must be visible ASCII: current value is ${JSON.stringify(host)}`,
  );
}

/**
 * Host and port as a URL and the `Host` field have them.
 *
 * @param hostname the address or name, an IPv6 address without brackets
 * @param port the port
 * @returns such as `127.0.0.1:8080` or `[::1]:8080`
 * @throws {TypeError} the host is no name and no address
 */
export function authority(hostname: string, port: number): string {
  if (!HOSTNAME.test(hostname)) {
    throw new TypeError(
      `Cannot send request as its host must be a name or an address without brackets: ` +
        `current value is ${JSON.stringify(hostname)}`,
    );
  }
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/**
 * The bytes of a request without a body. A `POST` says that its body is empty.
 *
 * Source: RFC 9112 §3 (request line), §3.2 (Host); RFC 9110 §8.6 (Content-Length).
 *
 * @param head what is asked
 * @returns the request as it goes over the connection
 * @throws {TypeError} the path, the host name or the `Host` field holds what a request line or a field cannot
 *
 * @example
 * ```ts
 * import { encodeRequest } from "./http1_request.ts";
 * import { assertEquals } from "@std/assert";
 * const bytes = encodeRequest({ method: "GET", path: "/static?bytes=10", hostname: "127.0.0.1", port: 8080 });
 * assertEquals(
 *   new TextDecoder().decode(bytes),
 *   "GET /static?bytes=10 HTTP/1.1\r\nhost: 127.0.0.1:8080\r\n\r\n",
 * );
 * ```
 */
export function encodeRequest(head: RequestHead): Uint8Array<ArrayBuffer> {
  const { method, path, hostname, port, host = authority(hostname, port) } = head;
  checkPath(path);
  checkHost(host);
  const length = method === "POST" ? "content-length: 0\r\n" : "";
  return encoder.encode(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${length}\r\n`);
}
