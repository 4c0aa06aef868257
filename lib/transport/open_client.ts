import type { Client, ClientOptions, ClientVariant, Target } from "./client.ts";
import { CLIENT_VARIANTS } from "./client.ts";
import type { Connect } from "./connection.ts";
import { FetchClient } from "./fetch_client.ts";
import { RawClient } from "./raw_client.ts";
import { connectTcp } from "./tcp.ts";
import { connectTls } from "./tls.ts";

/**
 * Opens a client of a kind. Nothing is connected before its first request. Needs `--allow-net` of the target.
 *
 * @param variant which client, and whether it keeps its connection
 * @param target where requests go
 * @param options path, TLS, limits in time, signal, clock
 * @returns the client, to be closed by whoever opened it
 * @throws {TypeError} there is no such variant, it cannot do what is asked, or the host is no name and no address
 * @throws {RangeError} a time limit is out of range
 *
 * @example
 * ```ts ignore
 * using client = openClient("raw/shared", { hostname: "127.0.0.1", port: 8080 }, { path: "/static" });
 * const { connectMs, waitMs, failure } = await client.request();
 * ```
 */
export function openClient(variant: ClientVariant, target: Target, options: ClientOptions = {}): Client {
  switch (variant) {
    case "raw/new":
    case "raw/shared":
      return new RawClient(variant, target, connectorOf(target, options), options);
    case "fetch/resumed":
      if (!options.tls) {
        throw new TypeError(`Cannot open client as ${variant} needs tls: there is no session`);
      }
      return new FetchClient(variant, target, options);
    case "fetch/new":
    case "fetch/shared":
      return new FetchClient(variant, target, options);
    default:
      throw new TypeError(
        `Cannot open client as its variant must be one of ${
          [...CLIENT_VARIANTS, "fetch/resumed"].join(", ")
        }: current value is ${variant}`,
      );
  }
}

/** What opens the connections of a `raw` client. */
function connectorOf({ hostname, port }: Target, { tls, idleTimeoutMs, now }: ClientOptions): Connect {
  if (idleTimeoutMs !== undefined) {
    throw new TypeError("Cannot open client as raw has no idle timeout: use a pool");
  }
  const clock = now ? { now } : {};
  if (!tls) return (signal) => connectTcp({ hostname, port, signal, ...clock });
  const { caCerts = [], alpn = "http/1.1" } = tls;
  if (alpn !== "http/1.1") {
    throw new TypeError(`Cannot open client as raw speaks HTTP/1.1 only: current value of alpn is ${alpn}`);
  }
  return (signal) => connectTls({ hostname, port, signal, caCerts, alpn: [alpn], ...clock });
}
