import type { Lifeline } from "../../lib/system/mod.ts";
import { misuse } from "../_shared/flags.ts";
import { ORIGIN } from "./flags.ts";

/** What a server shows over TLS, as PEM text. */
export interface Identity {
  /** Its private key. */
  readonly key: string;
  /** Its certificate, and those up to its authority. */
  readonly certificate: string;
}

/**
 * Takes the identity that the parent gives as its first line, so that a key stands on no command line and in
 * no file. A line that is none is not repeated in the message, as a key may be in it.
 *
 * @param lifeline where the parent speaks
 * @returns the identity
 * @throws {MisuseError} there is no such line
 */
export async function readIdentity(lifeline: Lifeline): Promise<Identity> {
  const line = await lifeline.nextLine();
  if (line === null) {
    throw misuse(
      ORIGIN,
      "its standard input ended before a key and a certificate for --tls came: " +
        "deno task lab serve origin --tls makes them",
    );
  }
  const identity = parse(line);
  if (identity !== null) return identity;
  throw misuse(
    ORIGIN,
    'the first line on its standard input must be {"key":…,"certificate":…} with PEM text for --tls',
  );
}

function parse(line: string): Identity | null {
  try {
    const { key, certificate } = JSON.parse(line);
    const fits = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key) &&
      /-----BEGIN CERTIFICATE-----/.test(certificate);
    return fits ? { key, certificate } : null;
  } catch {
    return null;
  }
}
