import { isIP } from "node:net";

/** The kinds of key that {@linkcode issueCertificate} makes. */
export const KEY_TYPES = ["ecdsa-p256", "rsa-2048"] as const;

/** One of {@linkcode KEY_TYPES}. */
export type KeyType = (typeof KEY_TYPES)[number];

/** What a certificate is to be. */
export interface IssueOptions {
  /** The names and addresses that it is for, at least one. @default {["127.0.0.1"]} */
  readonly names?: readonly string[];
  /** The kind of key, of the authority and of the server. @default {"ecdsa-p256"} */
  readonly keyType?: KeyType;
  /** From when on it is valid. @default {an hour ago, as clocks differ} */
  readonly notBefore?: Date;
  /** Until when it is valid. @default {a day after it becomes so} */
  readonly notAfter?: Date;
}

/** A certificate with what trusts it and what serves it, as PEM text (RFC 7468). */
export interface IssuedCertificate {
  /** The certificate of the authority that signed it: what a client is told to trust. */
  readonly ca: string;
  /** The certificate: what a server shows. */
  readonly certificate: string;
  /** Its private key, in PKCS #8. */
  readonly key: string;
}

const HOUR_MS = 3_600_000;

const ECDSA_P256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const RSA_2048 = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};

/** What WebCrypto calls each kind of key. */
const ALGORITHMS: Readonly<Record<KeyType, typeof ECDSA_P256 | typeof RSA_2048>> = {
  "ecdsa-p256": ECDSA_P256,
  "rsa-2048": RSA_2048,
};

/** The longest name that DNS has, RFC 1035 §2.3.4. */
const LONGEST_NAME = 253;

/** A name, its first label perhaps a wildcard. */
const NAME = /^(\*\.)?[\da-z]([\w-]*[\da-z])?(\.[\da-z]([\w-]*[\da-z])?)*$/i;

/**
 * Makes an authority for one use, and a server's certificate that it has signed. The authority's own key is
 * forgotten, so that it signs nothing else. All of it is in memory only.
 *
 * @param options names, kind of key, time of validity
 * @returns what a client trusts, what a server shows, and the server's key
 * @throws {TypeError} there is no name, one cannot stand in a certificate, or there is no such kind of key
 * @throws {RangeError} it would end before it begins
 *
 * @example
 * ```ts ignore
 * const { ca, certificate, key } = await issueCertificate({ names: ["127.0.0.1"] });
 * using server = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert: certificate, key });
 * using connection = await connectTls({ hostname: "127.0.0.1", port: server.addr.port, caCerts: [ca] });
 * ```
 */
export async function issueCertificate(options: IssueOptions = {}): Promise<IssuedCertificate> {
  const { names = ["127.0.0.1"], keyType = "ecdsa-p256" } = options;
  const notBefore = options.notBefore ?? new Date(Date.now() - HOUR_MS);
  const notAfter = options.notAfter ?? new Date(notBefore.getTime() + 25 * HOUR_MS);
  if (names.length === 0) throw new TypeError("Cannot issue certificate as it has no name");
  if (!Object.hasOwn(ALGORITHMS, keyType)) {
    throw new TypeError(
      `Cannot issue certificate as its key must be one of ${
        KEY_TYPES.join(", ")
      }: current value is ${keyType}`,
    );
  }
  if (!(notBefore < notAfter)) {
    throw new RangeError("Cannot issue certificate as it would end before it begins");
  }
  const subjects = names.map(subjectOf);
  // tsyringe, which it stands on, asks for this one to be there first.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const algorithm = ALGORITHMS[keyType];
  const [caKeys, keys] = await Promise.all([generateKeys(algorithm), generateKeys(algorithm)]);
  const issuer = `CN=connlab ${crypto.randomUUID()}`;
  const common = { notBefore, notAfter, signingAlgorithm: algorithm };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: serialNumber(),
    name: issuer,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...common,
    serialNumber: serialNumber(),
    // The names stand in the extension, as RFC 9525 wants it; this one is for people.
    subject: "CN=connlab server",
    issuer,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(subjects),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  return { ca: pem(ca), certificate: pem(certificate), key: await keyPem(keys.privateKey) };
}

/** A name as it stands in a certificate. */
function subjectOf(name: string): { type: "dns" | "ip"; value: string } {
  if (isIP(name) !== 0) return { type: "ip", value: name };
  if (name.length <= LONGEST_NAME && NAME.test(name)) return { type: "dns", value: name };
  throw new TypeError(
    `Cannot issue certificate as it must be for names and addresses: current value is ${name || "empty"}`,
  );
}

function generateKeys(algorithm: typeof ECDSA_P256 | typeof RSA_2048): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

/** 16 random bytes in hexadecimal, the first of them so that the number is positive: RFC 5280 §4.1.2.2. */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = bytes[0]! & 0x3f | 0x40;
  return bytes.toHex();
}

function pem(certificate: { toString(format: "pem"): string }): string {
  return `${certificate.toString("pem")}\n`;
}

async function keyPem(key: CryptoKey): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key));
  const lines = bytes.toBase64().match(/.{1,64}/g)!;
  return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
}
