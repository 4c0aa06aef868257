import { assert, assertEquals } from "@std/assert";
import { addressText, formatAddress, isMapped, parseAddress } from "./_address.ts";

/** The digits of the socket table for an address given as eight groups: every 32-bit word byte by byte. */
function table(groups: string): string {
  const digits = groups.split(":").map((group) => group.padStart(4, "0")).join("");
  return digits.match(/.{8}/g)!.map((word) => word.match(/../g)!.reverse().join("")).join("").toUpperCase();
}

Deno.test("an IPv4 address is read from its least significant byte", () => {
  assertEquals(formatAddress("0100007F"), "127.0.0.1");
  assertEquals(formatAddress("507100CB"), "203.0.113.80");
  assertEquals(formatAddress("FFFFFFFF"), "255.255.255.255");
  assertEquals(formatAddress("00000000"), "0.0.0.0");
});

Deno.test("an IPv6 address is written as RFC 5952 wants it", () => {
  assertEquals(formatAddress(table("0:0:0:0:0:0:0:0")), "::");
  assertEquals(formatAddress(table("0:0:0:0:0:0:0:1")), "::1");
  assertEquals(formatAddress(table("2001:db8:0:0:0:0:2:1")), "2001:db8::2:1");
  assertEquals(formatAddress(table("fe80:0:0:0:0:0:0:0")), "fe80::");
  assertEquals(formatAddress(table("2001:db8:0:1:1:1:1:1")), "2001:db8:0:1:1:1:1:1");
  assertEquals(formatAddress(table("2001:0:0:1:0:0:0:1")), "2001:0:0:1::1");
  assertEquals(formatAddress(table("2001:db8:0:0:1:0:0:1")), "2001:db8::1:0:0:1");
  assertEquals(formatAddress(table("1:2:3:4:5:6:7:8")), "1:2:3:4:5:6:7:8");
});

Deno.test("an IPv4-mapped address is IPv4", () => {
  const mapped = "0000000000000000FFFF00000100007F";
  assertEquals(isMapped(mapped), true);
  assertEquals(formatAddress(mapped), "127.0.0.1");
  assertEquals(isMapped("00000000000000000000000001000000"), false);
  assertEquals(isMapped("0100007F"), false);
});

Deno.test("an address and its bytes are each other's, whatever way it is written", () => {
  const texts: Readonly<Record<string, string>> = {
    "127.0.0.1": "127.0.0.1",
    "::": "::",
    "::1": "::1",
    "FE80::1": "fe80::1",
    "2001:db8:0:0:1:0:0:1": "2001:db8::1:0:0:1",
    "1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::": "1:2:3:4:5:6:7:0",
    "::ffff:192.0.2.1": "192.0.2.1",
    "64:ff9b::192.0.2.1": "64:ff9b::c000:201",
  };
  for (const [written, canonical] of Object.entries(texts)) {
    const bytes = parseAddress(written);
    assert(bytes !== null, written);
    assertEquals(addressText(bytes, 0, bytes.length === 4 ? 4 : 16), canonical);
  }
  for (
    const text of ["1.2.3", "1.2.3.4.5", "01.2.3.4", "300.1.1.1", "1:2", "::g", "1::2::3", "[::1]", "a.b.c.d"]
  ) {
    assertEquals(parseAddress(text), null, text);
  }
});
