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
 * import { isLoopback } from "./target.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["localhost", "127.1.2.3", "[::1]", "127.example.org"].map(isLoopback), [true, true, true, false]);
 * ```
 */
export function isLoopback(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  return LOOPBACK_NAME.test(host) || LOOPBACK_IPV4.test(host) || LOOPBACK_IPV6.test(host);
}

/**
 * Refuses a target on another machine unless its host was named: a slip of the pen must not probe a stranger.
 *
 * @param target a URL
 * @param allowed the host that was named; empty for none
 * @throws {MisuseError} the target is not loopback, and another host or none was named
 */
export function requireAllowed(target: string, allowed: string): void {
  const { hostname } = new URL(target);
  if (isLoopback(hostname) || sameHost(hostname, allowed)) return;
  const named = allowed === "" ? "" : `: ${allowed} is another host`;
  throw new MisuseError(
    `Cannot probe ${hostname} as it is not loopback and was not named with --allow-remote ${hostname} ` +
      `(allowRemote in a cell)${named}`,
  );
}

function sameHost(hostname: string, allowed: string): boolean {
  return withoutBrackets(hostname).toLowerCase() === withoutBrackets(allowed.trim()).toLowerCase();
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/**
 * Refuses a `Host` field that would be none, or two.
 *
 * @param host the field's value; empty for the URL's own
 * @throws {MisuseError} it holds other than visible ASCII
 */
export function requireHost(host: string): void {
  if (/^[!-~]*$/.test(host)) return;
  throw new MisuseError(
    `Cannot send Host field ${
      JSON.stringify(host)
    } as it must be visible ASCII without spaces (--host-header)`,
  );
}

/**
 * Refuses certificates for a connection that has none to check.
 *
 * @param target the URL; `null` for the lab's own server, which speaks plain HTTP here
 * @param ca the certificates that are trusted; `null` for the usual ones
 * @throws {MisuseError} there are certificates, and the target does not speak TLS
 */
export function requireTls(target: string | null, ca: string | null): void {
  if (ca === null || target?.startsWith("https:")) return;
  throw new MisuseError(
    "Cannot use certificates (--ca) as the target is not a URL that begins with https://",
  );
}
