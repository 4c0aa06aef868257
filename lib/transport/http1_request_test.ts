import { assertEquals, assertThrows } from "@std/assert";
import { encodeRequest, type RequestHead } from "./http1_request.ts";

const HEAD: RequestHead = { method: "GET", path: "/", hostname: "127.0.0.1", port: 80 };

function encode(change: Partial<RequestHead>): string {
  return new TextDecoder().decode(encodeRequest({ ...HEAD, ...change }));
}

Deno.test("encodeRequest puts an IPv6 address in brackets", () => {
  assertEquals(encode({ hostname: "::1", port: 8080 }), "GET / HTTP/1.1\r\nhost: [::1]:8080\r\n\r\n");
});

Deno.test("encodeRequest says that a POST has an empty body", () => {
  assertEquals(
    encode({ method: "POST" }),
    "POST / HTTP/1.1\r\nhost: 127.0.0.1:80\r\ncontent-length: 0\r\n\r\n",
  );
});

Deno.test("encodeRequest refuses what would change the request", () => {
  for (const path of ["", "static", "http://a/", "/a b", "/a\r\nx: y", "/a#b", "/\u00e9", "/\0"]) {
    assertThrows(() => encode({ path }), TypeError, "its path must begin with /", path);
  }
  for (const hostname of ["", "[::1]", "a b", "a\r\nx: y", "a/b"]) {
    assertThrows(() => encode({ hostname }), TypeError, "its host must be a name", hostname);
  }
});

Deno.test("encodeRequest sends the Host field that is given, and refuses one that would be two", () => {
  assertEquals(encode({ host: "example.test" }), "GET / HTTP/1.1\r\nhost: example.test\r\n\r\n");
  for (const host of ["", "a b", "a\r\nx: y", "\u00e9"]) {
    assertThrows(() => encode({ host }), TypeError, "its Host field must be visible ASCII", host);
  }
});
