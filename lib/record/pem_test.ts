import { assertEquals, assertThrows } from "@std/assert";
import { EXPIRED_CA as CERTIFICATE, LASTING_CA } from "../testing/mod.ts";
import { MisuseError } from "./errors.ts";
import { resolveParams } from "./params.ts";
import { anyValidAt, describePem, isPem, MAX_PEM_BYTES, pem } from "./pem.ts";

const MALFORMED = "-----BEGIN CERTIFICATE-----\nQUJD\nREVG\n-----END CERTIFICATE-----\n";
const KEY = "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n-----END EC PRIVATE KEY-----\n";
const ca = pem({ default: null, help: "whom to trust" });

Deno.test("pem() keeps the certificates and nothing else, and reads what it has kept", () => {
  assertEquals(ca.parse(null), { value: null });
  assertEquals(ca.parse(CERTIFICATE), { value: CERTIFICATE });
  const chain = `Bag Attributes\n${CERTIFICATE}subject=CN = me\n${CERTIFICATE.replaceAll("\n", "\r\n")}`;
  assertEquals(ca.parse(chain), { value: CERTIFICATE + CERTIFICATE });
  assertEquals(ca.parse(CERTIFICATE + CERTIFICATE), { value: CERTIFICATE + CERTIFICATE });
});

Deno.test("pem() refuses what is no certificate, and never repeats a key", () => {
  for (
    const [given, must] of [
      ["", "PEM text with a certificate"],
      ["ca.pem", "PEM text with a certificate"],
      [CERTIFICATE.replace("END", "BEGIN"), "PEM text with a certificate"],
      ["-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n", "PEM text with a certificate"],
      [MALFORMED, "PEM text of well-formed certificates"],
      [CERTIFICATE + MALFORMED, "PEM text of well-formed certificates"],
      [CERTIFICATE + KEY, "PEM text without a private key"],
      [KEY, "PEM text without a private key"],
      [CERTIFICATE.repeat(2000), `PEM text of at most ${MAX_PEM_BYTES / 1024} KiB`],
      [5, "PEM text"],
    ] as const
  ) {
    assertEquals(ca.parse(given), { must });
    const error = assertThrows(() => resolveParams({ ca }, { ca: given }), MisuseError, must);
    assertEquals(error.message.includes("c2VjcmV0"), false);
  }
});

Deno.test("anyValidAt() goes by the dates of certificates, both included", () => {
  const [from, to] = [Date.UTC(2020, 0), Date.UTC(2020, 1)];
  const valid = (text: string) => [from - 1, from, to, to + 1].map((atMs) => anyValidAt(text, atMs));
  assertEquals(valid(CERTIFICATE), [false, true, true, false]);
  assertEquals(valid(CERTIFICATE + LASTING_CA), [false, true, true, true]);
});

Deno.test("isPem() tells PEM text from the path of a file", () => {
  assertEquals([CERTIFICATE, KEY, "./ca.pem", ""].map(isPem), [true, true, false, false]);
});

Deno.test("describePem() counts certificates", () => {
  assertEquals([CERTIFICATE, CERTIFICATE + LASTING_CA].map(describePem), ["1 certificate", "2 certificates"]);
});
