import type { Client, ClientOptions, ClientVariant, Target } from "./client.ts";
import { CLIENT_VARIANTS } from "./client.ts";
import { FetchClient } from "./fetch_client.ts";
import { RawClient } from "./raw_client.ts";
import { connectTcp } from "./tcp.ts";

/**
 * Opens a client of a kind. Nothing is connected before its first request. Needs `--allow-net` of the target.
 *
 * @param variant which client, and whether it keeps its connection
 * @param target where requests go
 * @param options path, limit in time, signal, clock
 * @returns the client, to be closed by whoever opened it
 * @throws {TypeError} there is no such variant, or the host is no name and no address
 * @throws {RangeError} the time limit is out of range
 *
 * @example
 * ```ts ignore
 * using client = openClient("raw/shared", { hostname: "127.0.0.1", port: 8080 }, { path: "/static" });
 * const { connectMs, waitMs, failure } = await client.request();
 * ```
 */
export function openClient(variant: ClientVariant, target: Target, options: ClientOptions = {}): Client {
  const { hostname, port } = target;
  switch (variant) {
    case "raw/new":
    case "raw/shared":
      return new RawClient(variant, target, (signal) => connectTcp({ hostname, port, signal }), options);
    case "fetch/new":
    case "fetch/shared":
      return new FetchClient(variant, target, options);
    default:
      throw new TypeError(
        `Cannot open client as its variant must be one of ${
          CLIENT_VARIANTS.join(", ")
        }: current value is ${variant}`,
      );
  }
}
