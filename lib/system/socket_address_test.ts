import { assertEquals, assertThrows } from "@std/assert";
import { bytesOf, SocketAddress } from "./socket_address.ts";
import { required, socketConstants } from "./_socket_constants.ts";
import { UnsupportedError } from "./unsupported_error.ts";

if (Deno.build.os === "linux") {
  Deno.test("an IPv4 address is as struct sockaddr_in has it", () => {
    const address = new SocketAddress("192.0.2.1", 0x1234);
    assertEquals(address.family, "ipv4");
    assertEquals([...bytesOf(address)], [2, 0, 0x12, 0x34, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  Deno.test("an IPv6 address is as struct sockaddr_in6 has it", () => {
    const address = new SocketAddress("2001:DB8:0::5", 80);
    assertEquals([address.family, address.address, address.port], ["ipv6", "2001:db8::5", 80]);
    const zeros = (count: number) => Array<number>(count).fill(0);
    assertEquals([...bytesOf(address)], [
      ...[10, 0, 0, 80, ...zeros(4)],
      ...[0x20, 1, 0xd, 0xb8, ...zeros(11), 5],
      ...zeros(4),
    ]);
  });

  Deno.test("names, brackets and ports out of range are refused", () => {
    for (const text of ["localhost", "[::1]", "127.0.0.1:80", "127.1", "", "fe80::1%lo"]) {
      assertThrows(() => new SocketAddress(text), TypeError, "Cannot use socket address");
    }
    for (const port of [-1, 65_536, 1.5, NaN]) {
      assertThrows(() => new SocketAddress("::1", port), RangeError, "Cannot use port");
    }
  });
}

Deno.test("what a system has not got is named", () => {
  assertThrows(() => socketConstants("windows"), UnsupportedError, "sockets in a C library");
  const { localPortRange, reuseAddress } = socketConstants("darwin");
  const error = assertThrows(
    () => required(localPortRange, "set localPortRange", "IP_LOCAL_PORT_RANGE"),
    UnsupportedError,
    "Cannot set localPortRange as",
  );
  assertEquals(error.missing, "IP_LOCAL_PORT_RANGE");
  assertEquals(required(reuseAddress, "set reuseAddress", "SO_REUSEADDR"), 4);
});
