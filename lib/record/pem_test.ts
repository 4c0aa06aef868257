import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "./errors.ts";
import { resolveParams } from "./params.ts";
import { isPem, MAX_PEM_BYTES, pem } from "./pem.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nQUJD\nREVG\n-----END CERTIFICATE-----\n";
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

Deno.test("isPem() tells PEM text from the path of a file", () => {
  assertEquals([CERTIFICATE, KEY, "./ca.pem", ""].map(isPem), [true, true, false, false]);
});
