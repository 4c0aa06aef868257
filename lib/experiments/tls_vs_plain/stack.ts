import { MisuseError } from "../../record/mod.ts";
import type { Values } from "./params.ts";

/**
 * The stack of the lab's own servers. HTTP/2 is served by Deno.serve alone: node:http2 under Deno ends with a
 * crash (nghttp2, SIGABRT or SIGSEGV; seen with Deno 2.9) when clients close connection after connection.
 *
 * @param params the parameters
 * @returns the stack
 * @throws {MisuseError} HTTP/2 was asked for on node
 */
export function stackOf({ stack, alpn }: Pick<Values, "stack" | "alpn">): "deno" | "node" {
  if (stack === "node" && alpn === "h2") {
    throw new MisuseError(
      "Cannot use alpn h2 with stack node as node:http2 under Deno crashes when connections close: use deno",
    );
  }
  if (stack === "auto") return alpn === "h2" ? "deno" : "node";
  return stack;
}

/**
 * Whether times over TLS have delayed acknowledgements in them, which are none of TLS.
 *
 * @param params the parameters
 * @returns whether the lab's own server is Deno.serve, which leaves Nagle's algorithm on over TLS alone
 */
export function delaysOverTls(params: Pick<Values, "stack" | "alpn" | "target">): boolean {
  return params.target === null && stackOf(params) === "deno";
}
