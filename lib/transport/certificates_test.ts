import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { X509Certificate } from "node:crypto";
import { issueCertificate, KEY_TYPES } from "./certificates.ts";

for (const keyType of KEY_TYPES) {
  Deno.test(`issueCertificate() signs a certificate with a key of type ${keyType}`, async () => {
    const issued = await issueCertificate({ keyType, names: ["127.0.0.1", "::1", "lab.test"] });
    const [ca, leaf] = [new X509Certificate(issued.ca), new X509Certificate(issued.certificate)];
    assertEquals([ca.ca, leaf.ca], [true, false]);
    assertEquals([ca.issuer, leaf.issuer], [ca.subject, ca.subject]);
    assertEquals([ca.verify(ca.publicKey), leaf.verify(ca.publicKey)], [true, true]);
    assertEquals(leaf.verify(leaf.publicKey), false);
    const kind = keyType === "rsa-2048" ? "rsa" : "ec";
    assertEquals([ca.publicKey.asymmetricKeyType, leaf.publicKey.asymmetricKeyType], [kind, kind]);
    assertMatch(leaf.subjectAltName ?? "", /127\.0\.0\.1.*IP Address:.*DNS:lab\.test/);
    assertMatch(issued.key, /^-----BEGIN PRIVATE KEY-----\n[\w+/=\n]+\n-----END PRIVATE KEY-----\n$/);
  });
}

Deno.test("issueCertificate() makes another authority each time, valid now and not for long", async () => {
  const [one, other] = [await issueCertificate(), await issueCertificate()];
  assertNotEquals(one.ca, other.ca);
  assertNotEquals(one.key, other.key);
  const { validFromDate, validToDate, serialNumber } = new X509Certificate(one.certificate);
  assert(validFromDate < new Date() && new Date() < validToDate);
  assert(validToDate.getTime() - validFromDate.getTime() < 2 * 86_400_000);
  assertNotEquals(serialNumber, new X509Certificate(other.certificate).serialNumber);
});

Deno.test("issueCertificate() makes one of another time", async () => {
  const [notBefore, notAfter] = [new Date("2020-01-01T00:00:00Z"), new Date("2020-02-01T00:00:00Z")];
  const issued = await issueCertificate({ notBefore, notAfter });
  for (const text of [issued.ca, issued.certificate]) {
    const { validFromDate, validToDate } = new X509Certificate(text);
    assertEquals([validFromDate, validToDate], [notBefore, notAfter]);
  }
});

Deno.test("issueCertificate() refuses what no certificate can be for", async () => {
  const now = new Date();
  for (
    const [options, message] of [
      [{ names: [] }, "as it has no name"],
      [{ names: ["two words"] }, "current value is two words"],
      [{ names: ["127.0.0.1", ""] }, "current value is empty"],
      [{ names: [`${"a".repeat(63)}.`.repeat(4) + "test"] }, "must be for names and addresses"],
      [{ keyType: "dsa" as "rsa-2048" }, "must be one of ecdsa-p256, rsa-2048: current value is dsa"],
      [{ notBefore: now, notAfter: now }, "would end before it begins"],
    ] as const
  ) {
    await assertRejects(() => issueCertificate(options), Error, message);
  }
});
