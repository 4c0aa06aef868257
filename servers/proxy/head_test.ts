import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { HEAD_BYTES } from "./framing.ts";
import { HeadEncoder } from "./head_encoder.ts";
import { MalformedHead, parseRequestHead, parseResponseHead } from "./head.ts";

const request = (...lines: string[]) =>
  parseRequestHead(["GET / HTTP/1.1", "host: a", ...lines].join("\r\n"));
const response = (...lines: string[]) => parseResponseHead(["HTTP/1.1 200 OK", ...lines].join("\r\n"), "GET");

Deno.test("parseRequestHead refuses every head that two readers could read in two ways", async (t) => {
  const refused: Record<string, [status: number, ...lines: string[]]> = {
    "a length beside a coding": [400, "content-length: 3", "transfer-encoding: chunked"],
    "a coding beside a length": [400, "Transfer-Encoding: chunked", "Content-Length: 0"],
    "two lengths": [400, "content-length: 3", "content-length: 4"],
    "the same length twice": [400, "content-length: 3", "content-length: 3"],
    "a list of lengths": [400, "content-length: 3, 3"],
    "a signed length": [400, "content-length: +3"],
    "a negative length": [400, "content-length: -3"],
    "a hexadecimal length": [400, "content-length: 0x3"],
    "an empty length": [400, "content-length:"],
    "a length beyond precision": [400, "content-length: 9999999999999999"],
    "a space before the colon": [400, "content-length : 3"],
    "a space within a name": [400, "content length: 3"],
    "no colon": [400, "nonsense"],
    "an empty name": [400, ": a"],
    "a folded field": [400, "x: a", " b"],
    "a field folded with a tab": [400, "x: a", "\tb"],
    "a bare CR in a value": [400, "x: a\rtransfer-encoding: chunked"],
    "NUL in a value": [400, "x: a\0b"],
    "another Host": [400, "host: b"],
    "a length with obs-text for a blank": [400, "content-length: 3\xa0"],
    "an empty coding": [501, "transfer-encoding:"],
    "a coding with obs-text for a blank": [501, "transfer-encoding: chunked\xa0"],
    "a coding in a list with nothing": [501, "transfer-encoding: , chunked"],
    "a coding with a parameter": [501, "transfer-encoding: chunked;a=b"],
    "a vertical tab before a coding": [400, "transfer-encoding: \vchunked"],
    "an unknown coding": [501, "transfer-encoding: gzip"],
    "chunked twice": [501, "transfer-encoding: chunked", "transfer-encoding: chunked"],
    "chunked and another": [501, "transfer-encoding: gzip, chunked"],
    "a coding in disguise": [501, "transfer-encoding: xchunked"],
  };
  for (const [name, [status, ...lines]] of Object.entries(refused)) {
    await t.step(name, () => {
      assertEquals(assertThrows(() => request(...lines), MalformedHead).status, status);
    });
  }
  const starts: Record<string, number> = {
    "GET /": 400,
    "GET  / HTTP/1.1": 400,
    "GET / HTTP/1.1 ": 400,
    "GET\t/ HTTP/1.1": 400,
    "G(T / HTTP/1.1": 400,
    "GET a HTTP/1.1": 400,
    "GET * HTTP/1.1": 400,
    "GET http:/// HTTP/1.1": 400,
    "GET http://a b/ HTTP/1.1": 400,
    "GET http://user@a/ HTTP/1.1": 400,
    "GET / HTTP/2.0": 505,
    "CONNECT a:443 HTTP/1.1": 501,
  };
  for (const [start, status] of Object.entries(starts)) {
    await t.step(start, () => {
      assertEquals(
        assertThrows(() => parseRequestHead(`${start}\r\nhost: a`), MalformedHead).status,
        status,
      );
    });
  }
  await t.step("no Host in HTTP/1.1", () => {
    assertThrows(() => parseRequestHead("GET / HTTP/1.1"), MalformedHead);
    assertEquals(parseRequestHead("GET / HTTP/1.0").target, "/");
  });
  await t.step("chunks in HTTP/1.0", () => {
    assertThrows(() => parseRequestHead("GET / HTTP/1.0\r\ntransfer-encoding: chunked"), MalformedHead);
  });
});

Deno.test("parseRequestHead takes off what belongs to the connection, and nothing else", () => {
  const { fields } = request(
    ...[
      "Connection: close, X-Hop, Host",
      "x-hop: 1",
      "Keep-Alive: timeout=1",
      "TE: trailers",
      "Upgrade: h2c",
    ],
    ...["Proxy-Connection: keep-alive", "X-Kept: a", "X-Kept: b"],
  );
  const other = request("connection: X-Hop", "x-hop: 1", "x-hopper: 2", "x-other: x-hop: 3");
  assertEquals(other.fields, "host: a\r\nx-hopper: 2\r\nx-other: x-hop: 3\r\n");
  assertEquals(fields, "host: a\r\nX-Kept: a\r\nX-Kept: b\r\n");
});

Deno.test("parseRequestHead tells how the body ends and whether the connection goes on", () => {
  assertEquals(request().framing, { kind: "none" });
  assertEquals(request("content-length: 12").framing, { kind: "length", bytes: 12 });
  assertEquals(request("transfer-encoding: Chunked").framing, { kind: "chunked" });
  assertEquals([request(), request("connection: close")].map(({ persistent }) => persistent), [true, false]);
  const old = (...lines: string[]) => parseRequestHead(["GET / HTTP/1.0", ...lines].join("\r\n"));
  assertEquals([old(), old("connection: keep-alive")].map(({ persistent }) => persistent), [false, true]);
  assertEquals([request(), old()].map(({ chunks }) => chunks), [true, false]);
});

Deno.test("parseRequestHead turns a URL into a path, and its host into Host", () => {
  const { target, fields } = parseRequestHead("GET http://b:80?x=1 HTTP/1.1\r\nhost: a\r\ny: z");
  assertEquals([target, fields], ["/?x=1", "host: b:80\r\ny: z\r\n"]);
  const targetOf = (start: string) => parseRequestHead(`${start} HTTP/1.1\r\nhost: a`).target;
  assertEquals(["GET http://b", "OPTIONS http://b", "OPTIONS http://b/"].map(targetOf), ["/", "*", "/"]);
});

Deno.test("parseResponseHead tells how the body ends and whether the connection goes on", () => {
  const seen = (head: ReturnType<typeof response>) => [head.framing.kind, head.persistent];
  assertEquals(seen(response("content-length: 3")), ["length", true]);
  assertEquals(seen(response("transfer-encoding: chunked")), ["chunked", true]);
  assertEquals(seen(response()), ["close", false]);
  assertEquals(seen(response("content-length: 3", "connection: close")), ["length", false]);
  assertEquals(seen(parseResponseHead("HTTP/1.0 200 \r\ncontent-length: 3", "GET")), ["length", false]);
  const head = parseResponseHead("HTTP/1.1 200 OK\r\ncontent-length: 3", "HEAD");
  assertEquals([...seen(head), head.length], ["none", true, 3]);
  for (const status of [100, 204, 304]) {
    assertEquals(seen(parseResponseHead(`HTTP/1.1 ${status}`, "GET")), ["none", true]);
  }
  assertThrows(() => response("content-length: 3", "transfer-encoding: chunked"), MalformedHead);
  for (const start of ["HTTP/2 200", "HTTP/1.1 20", "HTTP/1.1  200 OK", "HTTP/1.1 600 no", "ICY 200 OK"]) {
    assertThrows(() => parseResponseHead(start, "GET"), MalformedHead);
  }
});

Deno.test("HeadEncoder writes a byte for a character, whether it is ASCII or not", () => {
  const encoder = new HeadEncoder();
  for (const value of ["a", "\xe9\xff"]) {
    const head = "GET / HTTP/1.1\r\nx: " + value;
    const text = Buffer.from(encoder.encode("GET / HTTP/1.1", `x: ${value}\r\n`)).toString("latin1");
    assertEquals(text, `${head}\r\n\r\n`);
    const joined = encoder.join(new Uint8Array([1, 2]))!;
    assertEquals([joined.length, [...joined.slice(-2)]], [text.length + 2, [1, 2]]);
  }
  assertEquals(encoder.join(new Uint8Array(HEAD_BYTES + 1024)), null);
});
