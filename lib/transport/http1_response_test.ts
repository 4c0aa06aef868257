import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import type { Method } from "./http1_request.ts";
import { ResponseParser, type ResponseState } from "./http1_response.ts";

/** What a parser made of a byte stream, cuts left out. */
interface Reading {
  readonly state: ResponseState;
  readonly status: number | null;
  readonly body: string;
  readonly bodyBytes: number;
  readonly persistent: boolean;
  /** How many bytes belonged to the response. */
  readonly used: number;
}

const MAX_HEAD_BYTES = 300;

/** The bytes of a text whose characters are bytes. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Feeds a stream in the pieces that the cuts make, then its end. */
function read(bytes: Uint8Array, cuts: readonly number[], method: Method = "GET"): Reading {
  let body = "";
  const parser = new ResponseParser({
    maxHeadBytes: MAX_HEAD_BYTES,
    onBody: (piece) => body += String.fromCharCode(...piece),
  });
  parser.begin(method);
  let used = 0;
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  for (let edge = 1; edge < edges.length && parser.state === "reading"; edge++) {
    used += parser.feed(bytes.subarray(edges[edge - 1], edges[edge]));
  }
  parser.end();
  const { state, status, bodyBytes, persistent } = parser;
  // How far into a malformed stream a parser looks depends on how much of it has come.
  return { state, status, body, bodyBytes, persistent, used: state === "bad" ? 0 : used };
}

function readWhole(text: string, method: Method = "GET"): Reading {
  return read(bytesOf(text), [], method);
}

const OK = "HTTP/1.1 200 OK\r\n";

Deno.test("ResponseParser reads a body of a given length and leaves what follows", () => {
  const text = OK + "Content-Length: 5\r\n\r\nhello";
  assertEquals(readWhole(text + "HTTP/1.1"), {
    state: "done",
    status: 200,
    body: "hello",
    bodyBytes: 5,
    persistent: true,
    used: text.length,
  });
});

Deno.test("ResponseParser reads chunks, skips extensions and trailers, and leaves what follows", () => {
  const text = OK + "Transfer-Encoding: chunked\r\n\r\n" +
    '5 ;a="b;c"\r\nhello\r\n006\r\n world\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n';
  assertEquals(readWhole(text + "0\r\n"), {
    state: "done",
    status: 200,
    body: "hello world",
    bodyBytes: 11,
    persistent: true,
    used: text.length,
  });
});

Deno.test("ResponseParser reads a body without any length to the end of the connection", () => {
  const { state, body, persistent } = readWhole(OK + "\r\nall of\r\nit");
  assertEquals({ state, body, persistent }, { state: "done", body: "all of\r\nit", persistent: false });
  const gzip = readWhole(OK + "transfer-encoding: gzip\r\n\r\nxyz");
  assertEquals([gzip.state, gzip.body, gzip.persistent], ["done", "xyz", false]);
});

Deno.test("ResponseParser passes over interim responses", () => {
  const interim = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 \r\ncontent-length: 3\r\n\r\n";
  const { state, status, body } = readWhole(interim + OK + "content-length: 1\r\n\r\nx");
  assertEquals({ state, status, body }, { state: "done", status: 200, body: "x" });
});

Deno.test("ResponseParser expects no body after HEAD, 204 and 304", () => {
  const fields = "content-length: 5\r\n\r\n";
  for (
    const [method, line] of [
      ["HEAD", "HTTP/1.1 200 OK\r\n"],
      ["GET", "HTTP/1.1 204 No Content\r\n"],
      ["POST", "HTTP/1.1 304 Not Modified\r\n"],
    ] as const
  ) {
    const { state, bodyBytes, used } = readWhole(line + fields + "later", method);
    assertEquals({ state, bodyBytes, used }, {
      state: "done",
      bodyBytes: 0,
      used: line.length + fields.length,
    });
  }
});

Deno.test("ResponseParser knows whether the connection goes on", () => {
  for (
    const [version, fields, persistent] of [
      ["1.1", "", true],
      ["1.1", "connection: close\r\n", false],
      ["1.1", "connection: Keep-Alive , CLOSE\r\n", false],
      ["1.1", "connection: upgrade\r\nConnection: close\r\n", false],
      ["1.1", "connection: closed\r\n", true],
      ["1.0", "", false],
      ["1.0", "connection: keep-alive\r\n", true],
      ["1.0", "connection: keep-alive, close\r\n", false],
    ] as const
  ) {
    const text = `HTTP/${version} 200 OK\r\n${fields}content-length: 0\r\n\r\n`;
    assertEquals([readWhole(text).state, readWhole(text).persistent], ["done", persistent], text);
  }
});

Deno.test("ResponseParser accepts what RFC 9112 lets pass", () => {
  for (
    const text of [
      "HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok",
      "HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nok",
      "HTTP/1.7 200 \xe9t\xe9\r\ncontent-length: 2\r\n\r\nok",
      OK + "content-length:\t 2 \t\r\n\r\nok",
      OK + "content-length: 2, 2\r\ncontent-length: 2\r\n\r\nok",
      OK + "content-length:\r\n 2\r\nx-folded: a\r\n\tb: c\r\n\r\nok",
      OK + "transfer-encoding: gzip,\r\n\tchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      OK + "x-empty:\r\ncontent-length: 2\r\n\r\nok",
    ]
  ) {
    const { state, body } = readWhole(text);
    assertEquals({ state, body }, { state: "done", body: "ok" }, text);
  }
});

Deno.test("ResponseParser refuses what is no well-formed response", () => {
  const chunked = OK + "transfer-encoding: chunked\r\n\r\n";
  for (
    const text of [
      "SSH-2.0-OpenSSH_9.2\r\n",
      "\r\nHTTP/1.1 200 OK\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 2000 OK\r\n\r\n",
      "HTTP/1.1  200 OK\r\n\r\n",
      "HTTP/1.1 200 a\rb\r\n\r\n",
      "HTTP/1.1 200 OK\n\n",
      OK + "a: b\n\r\n",
      OK + "a: b\rc\r\n\r\n",
      OK + "a: b\0c\r\n\r\n",
      OK + " a: b\r\n\r\n",
      OK + "a b: c\r\n\r\n",
      OK + "a : b\r\n\r\n",
      OK + ": b\r\n\r\n",
      OK + "no colon\r\n\r\n",
      OK + "content-length: \r\n\r\n",
      OK + "content-length: -1\r\n\r\n",
      OK + "content-length: +1\r\n\r\nx",
      OK + "content-length: 1.0\r\n\r\nx",
      OK + "content-length: 1\xa0\r\n\r\nx",
      OK + "content-length: 5\r\n 0\r\n\r\n",
      OK + "content-length: 1, 2\r\n\r\n",
      OK + "content-length: 1\r\ncontent-length: 2\r\n\r\n",
      OK + "content-length: 9999999999999999\r\n\r\n",
      OK + "content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
      "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
      "HTTP/1.1 100\r\ncontent-length: x\r\n\r\n",
      chunked + "\r\n",
      chunked + "g\r\n",
      chunked + "-1\r\n",
      chunked + "5 5\r\nhello\r\n",
      chunked + "5\nhello\r\n",
      chunked + "5;a\nhello\r\n",
      chunked + "5\r\nhello!\r\n",
      chunked + "5\r\nhello\n",
      chunked + "ffffffffffffff\r\n",
      chunked + "0\r\n\n",
      chunked + "0\r\na: b\n\r\n",
      chunked + "0\r\na: b\rc\r\n\r\n",
    ]
  ) {
    assertEquals(readWhole(text).state, "bad", JSON.stringify(text));
  }
});

Deno.test("ResponseParser says where a response breaks", () => {
  const parser = new ResponseParser();
  parser.begin("GET");
  assertEquals(parser.problem, null);
  parser.feed(bytesOf("220 mail ready\r\n"));
  assertMatch(parser.problem ?? "", /status line/);
});

Deno.test("ResponseParser tells another protocol before its first line ends", () => {
  const parser = new ResponseParser();
  parser.begin("GET");
  parser.feed(bytesOf("HT"));
  assertEquals(parser.state, "reading");
  parser.feed(bytesOf("ML"));
  assertEquals(parser.state, "bad");
});

Deno.test("ResponseParser tells a response that the connection cut", () => {
  for (
    const text of [
      "",
      "HTTP/1.1 200",
      OK + "content-length: 5\r\n",
      OK + "content-length: 5\r\n\r\nhell",
      OK + "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
      OK + "transfer-encoding: chunked\r\n\r\n0\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
    ]
  ) {
    assertEquals(readWhole(text).state, "cut", JSON.stringify(text));
  }
});

Deno.test("ResponseParser bounds heads, chunk lines and trailers", () => {
  const fit = "a".repeat(MAX_HEAD_BYTES - OK.length - "a: \r\ncontent-length: 0\r\n\r\n".length);
  const head = (filler: string) => `${OK}a: ${filler}\r\ncontent-length: 0\r\n\r\n`;
  assertEquals(head(fit).length, MAX_HEAD_BYTES);
  assertEquals(readWhole(head(fit)).state, "done");
  assertEquals(readWhole(head(fit + "a")).state, "bad");
  assertEquals(readWhole("HTTP/1.1 100 \r\n\r\n" + head(fit)).state, "bad");
  const chunked = OK + "transfer-encoding: chunked\r\n\r\n";
  const long = "x".repeat(MAX_HEAD_BYTES);
  assertEquals(readWhole(`${chunked}1;${long}`).state, "bad");
  assertEquals(readWhole(chunked + "0".repeat(MAX_HEAD_BYTES + 1)).state, "bad");
  assertEquals(readWhole(`${chunked}0\r\na: ${long}`).state, "bad");
  assertEquals(readWhole(`${chunked}0\r\n${"a: b\r\n".repeat(MAX_HEAD_BYTES)}\r\n`).state, "bad");
  const many = "1;x\r\ny\r\n".repeat(MAX_HEAD_BYTES);
  assertEquals(readWhole(`${chunked}${many}0\r\n\r\n`).bodyBytes, MAX_HEAD_BYTES);
});

Deno.test("ResponseParser reads the next response after begin", () => {
  const parser = new ResponseParser();
  for (const body of ["one", "three"]) {
    parser.begin("GET");
    parser.feed(bytesOf(`${OK}content-length: ${body.length}\r\n\r\n${body}`));
    assertEquals([parser.state, parser.bodyBytes], ["done", body.length]);
  }
  parser.begin("GET");
  parser.feed(bytesOf("HTTP/1.1 2"));
  parser.begin("GET");
  assertEquals([parser.state, parser.status], ["reading", null]);
  parser.feed(bytesOf(`${OK}content-length: 0\r\n\r\n`));
  assertEquals(parser.state, "done");
});

/** A piece of a stream: lines and fields that fit together, that do not, and noise. */
const piece: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    OK,
    "HTTP/1.0 200 OK\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n",
    "content-length: 3\r\n",
    "Content-Length:\r\n\t12\r\n",
    "transfer-encoding: chunked\r\n",
    "connection: close\r\n",
    "x: y\r\n",
    "\r\n",
    "abc",
    "3\r\nabc\r\n",
    "A;q=1\r\n0123456789\r\n",
    "0\r\n\r\n",
    "0\r\nx: y\r\n\r\n",
    "\n",
    "\r",
    "\0",
    " ",
    "x".repeat(MAX_HEAD_BYTES),
  ),
  fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
    maxLength: 5,
  }),
);

/** A stream that begins as responses do, so that most runs get past the status line. */
const stream: fc.Arbitrary<string> = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.array(piece, { maxLength: 12 }).map((pieces) => OK + "content-length: 3\r\n" + pieces.join("")),
  fc.array(piece, { maxLength: 12 }).map((pieces) =>
    OK + "transfer-encoding: chunked\r\n\r\n3;a\r\nabc\r\n" + pieces.join("")
  ),
);

const method: fc.Arbitrary<Method> = fc.constantFrom("GET", "GET", "HEAD", "POST");

Deno.test("ResponseParser gives the same result wherever a stream is cut", () => {
  const reached = new Set<ResponseState>();
  fc.assert(
    fc.property(
      stream,
      method,
      fc.array(fc.nat({ max: 400 }), { maxLength: 8 }),
      (text, method, positions) => {
        const bytes = bytesOf(text);
        const whole = read(bytes, [], method);
        reached.add(whole.state);
        const cuts = positions.filter((position) => position <= bytes.length);
        assertEquals(read(bytes, cuts, method), whole);
        assertEquals(read(bytes, [...bytes.keys()], method), whole);
      },
    ),
    { seed: 20_240_601, numRuns: 3000 },
  );
  assertEquals([...reached].toSorted(), ["bad", "cut", "done"]);
});

Deno.test("ResponseParser reads back every body that is framed by length, chunks or the end", () => {
  const body = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "0", ";", "H"), maxLength: 40 });
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(body, sizes, fc.nat({ max: 200 }), (body, sizes, cut) => {
      let chunks = "";
      for (let at = 0, turn = 0; at < body.length; turn++) {
        const data = body.slice(at, at + sizes[turn % sizes.length]!);
        chunks += `${data.length.toString(16)}\r\n${data}\r\n`;
        at += data.length;
      }
      const framed = [
        `${OK}content-length: ${body.length}\r\n\r\n${body}`,
        `${OK}transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
        `${OK}connection: close\r\n\r\n${body}`,
      ];
      for (const text of framed) {
        const reading = read(bytesOf(text), [Math.min(cut, text.length)]);
        assertEquals([reading.state, reading.body, reading.used], ["done", body, text.length]);
      }
    }),
    { seed: 20_240_602, numRuns: 500 },
  );
});
