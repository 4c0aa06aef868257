import type { Phase } from "../record/mod.ts";

/**
 * The phase in which a `fetch` failed, as its words tell: it does not show when its connection stood.
 *
 * @param error what `describe()` says of what was thrown
 * @param scheme whether the connection was to be secured
 * @param seen the phase in which it was, as far as its caller could see
 * @returns `connect` or `tls` where it came to no connection, else what was seen
 *
 * @example
 * ```ts
 * import { fetchPhase } from "./fetch_phase.ts";
 * import { assertEquals } from "@std/assert";
 * const error = "client error (Connect): invalid peer certificate: UnknownIssuer";
 * assertEquals(fetchPhase(error, "https", "wait"), "tls");
 * ```
 */
export function fetchPhase(error: string, scheme: "http" | "https", seen: Phase): Phase {
  if (!error.includes("client error (Connect)")) return seen;
  return scheme === "http" || /(tcp connect|dns) error/.test(error) ? "connect" : "tls";
}
