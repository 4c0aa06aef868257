import { MisuseError } from "../../record/mod.ts";

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
