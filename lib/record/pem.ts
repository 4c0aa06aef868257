import { X509Certificate } from "node:crypto";
import type { Param } from "./param.ts";
import type { ParamOptions } from "./param_builders.ts";

/** The longest text that {@linkcode pem} accepts, in bytes: some forty certificates. */
export const MAX_PEM_BYTES: number = 64 * 1024;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----\s[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/**
 * Certificates of authorities that are trusted, or none. A person gives the path of a file, which whoever asks
 * for the run reads; what is given on, and recorded, is its certificates as PEM text (RFC 7468).
 *
 * @param options default, help
 * @returns the parameter
 *
 * @example
 * ```ts
 * import { pem } from "./pem.ts";
 * import { assertEquals } from "@std/assert";
 * const ca = pem({ default: null, help: "file with certificates that are trusted" });
 * assertEquals(ca.parse("ca.pem"), { must: "PEM text with a certificate" });
 * ```
 */
export function pem(options: ParamOptions<string | null>): Param<string | null> {
  return {
    kind: "pem",
    ...options,
    accepts: `a file of at most ${MAX_PEM_BYTES / 1024} KiB with certificates as PEM text`,
    parse(given) {
      if (given === null) return { value: null };
      if (typeof given !== "string") return { must: "PEM text" };
      // What is given is recorded: a key must not be.
      if (PRIVATE_KEY.test(given)) return { must: "PEM text without a private key" };
      if (given.length > MAX_PEM_BYTES) return { must: `PEM text of at most ${MAX_PEM_BYTES / 1024} KiB` };
      const certificates = given.match(CERTIFICATE);
      if (certificates === null) return { must: "PEM text with a certificate" };
      // A client would say of it that the server's certificate is malformed.
      if (!certificates.every(isWellFormed)) return { must: "PEM text of well-formed certificates" };
      return { value: `${certificates.join("\n").replaceAll("\r", "")}\n` };
    },
    format: (value) => value,
  };
}

function isWellFormed(certificate: string): boolean {
  try {
    new X509Certificate(certificate);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether one of some certificates is valid at a time. The runtime trusts an authority whatever its dates are,
 * where other clients refuse what it has signed.
 *
 * @param certificates PEM text of well-formed certificates
 * @param atMs the time, in milliseconds since 1970
 * @returns whether there is one
 */
export function anyValidAt(certificates: string, atMs: number): boolean {
  return certificates.match(CERTIFICATE)!.map((text) => new X509Certificate(text)).some(
    ({ validFrom, validTo }) => Date.parse(validFrom) <= atMs && atMs <= Date.parse(validTo),
  );
}

/**
 * Certificates for people, who need not see their text.
 *
 * @param certificates PEM text of certificates
 * @returns such as `1 certificate`
 */
export function describePem(certificates: string): string {
  const count = certificates.match(CERTIFICATE)?.length ?? 0;
  return `${count} certificate${count === 1 ? "" : "s"}`;
}

/**
 * Whether a text is PEM text, and not the path of a file with it.
 *
 * @param text the text
 * @returns whether it has the beginning of a block
 */
export function isPem(text: string): boolean {
  return text.includes("-----BEGIN ");
}
