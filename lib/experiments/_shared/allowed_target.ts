import { MisuseError } from "../../record/mod.ts";

const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;
const LOOPBACK_IPV4 = /^127\.\d+\.\d+\.\d+$/;
/** IPv6 has one such address; the others are the IPv4 ones, mapped. */
const LOOPBACK_IPV6 = /^(::1|::ffff:7f[\da-f]{2}:[\da-f]{1,4})$/i;

/**
 * Whether a host of a URL is this machine and no other.
 *
 * Source: RFC 6761 §6.3 (localhost), RFC 1122 §3.2.1.3 (127.0.0.0/8), RFC 4291 §2.5.3 (::1), §2.5.5.2 (mapped).
 *
 * @param hostname as a URL has it, an IPv6 address with or without brackets
 * @returns `true` for localhost and what ends in it, and for addresses of loopback
 *
 * @example
 * ```ts
 * import { isLoopback } from "./allowed_target.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["localhost", "127.1.2.3", "[::1]", "127.example.org"].map(isLoopback), [true, true, true, false]);
 * ```
 */
export function isLoopback(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  return LOOPBACK_NAME.test(host) || LOOPBACK_IPV4.test(host) || LOOPBACK_IPV6.test(host);
}

/**
 * Refuses a target on another machine unless its host was named: a slip of the pen must not put load on a stranger.
 *
 * @param target a URL
 * @param allowed the host that was named; empty for none
 * @param action what is to be done to it, such as `probe`. @default {"measure"}
 * @throws {MisuseError} the target is not loopback, and another host or none was named
 */
export function requireAllowed(target: string, allowed: string, action = "measure"): void {
  const { hostname } = new URL(target);
  if (isLoopback(hostname) || sameHost(hostname, allowed)) return;
  const named = allowed === "" ? "" : `: ${allowed} is another host`;
  throw new MisuseError(
    `Cannot ${action} ${hostname} as it is not loopback and was not named with --allow-remote ${hostname} ` +
      `(allowRemote in a cell)${named}`,
  );
}

function sameHost(hostname: string, allowed: string): boolean {
  return withoutBrackets(hostname).toLowerCase() === withoutBrackets(allowed.trim()).toLowerCase();
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
