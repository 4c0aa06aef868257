import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { ChunkedScanner } from "../../lib/transport/mod.ts";
import { passBody } from "./body.ts";
import { ByteStream, TruncatedError } from "./byte_stream.ts";
import type { BodyFraming } from "./framing.ts";
import { MalformedHead } from "./head.ts";

const encoder = new TextEncoder();

/** A connection that gives bytes in the pieces that it is told, and then ends. */
function scripted(text: string, sizes: readonly number[]) {
  const bytes = encoder.encode(text);
  let at = 0;
  let turn = 0;
  return {
    read(into: Uint8Array): Promise<number | null> {
      if (at === bytes.length) return Promise.resolve(null);
      const size = Math.min(sizes[turn++ % sizes.length]!, into.length, bytes.length - at);
      into.set(bytes.subarray(at, at += size));
      return Promise.resolve(size);
    },
  };
}

const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

async function collect(stream: ByteStream, framing: BodyFraming): Promise<string> {
  const pieces: string[] = [];
  await passBody(stream, framing, (piece) => {
    pieces.push(new TextDecoder().decode(piece));
    return Promise.resolve();
  });
  return pieces.join("");
}

/** What a chunked body holds, which must be all there is. */
function unframed(text: string): string {
  const bytes = encoder.encode(text);
  let body = "";
  const scanner = new ChunkedScanner(0xff, (_, from, to) => body += text.slice(from, to));
  scanner.begin();
  assertEquals([scanner.scan(bytes, 0, bytes.length), scanner.done], [bytes.length, true]);
  return body;
}

Deno.test("ByteStream finds the same heads and bodies however they are cut", async () => {
  const text =
    "\r\nGET /a HTTP/1.1\r\nx: y\r\n\r\nbodyPOST /b HTTP/1.1\r\n\r\n3;x=y\r\nabc\r\n0\r\nt: 1\r\n\r\nleft";
  await fc.assert(fc.asyncProperty(cuts, async (sizes) => {
    const stream = new ByteStream(scripted(text, sizes), 64);
    assertEquals(await stream.head(), "GET /a HTTP/1.1\r\nx: y");
    assertEquals(await collect(stream, { kind: "length", bytes: 4 }), "body");
    assertEquals(await stream.head(), "POST /b HTTP/1.1");
    assertEquals(await collect(stream, { kind: "chunked" }).then(unframed), "abc");
    assertEquals(await collect(stream, { kind: "close" }).then(unframed), "left");
    assertEquals(await stream.head(), null);
  }));
});

Deno.test("ByteStream refuses a bare LF wherever it stands, and a head without an end", async () => {
  await fc.assert(
    fc.asyncProperty(cuts, async (sizes) => {
      for (
        const text of ["GET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\nx: y\nz: w\r\n\r\n", "\n", "\r\n\r\nGET"]
      ) {
        await assertRejects(() => new ByteStream(scripted(text, sizes), 64).head(), MalformedHead);
      }
      const long = new ByteStream(scripted(`GET / HTTP/1.1\r\nx: ${"y".repeat(100)}`, sizes), 64);
      assertEquals((await assertRejects(() => long.head(), MalformedHead)).status, 431);
      const cut = new ByteStream(scripted("GET / HTTP/1.1\r\n", sizes), 64);
      await assertRejects(() => cut.head(), TruncatedError);
    }),
    { numRuns: 30 },
  );
});

Deno.test("passBody frames chunks anew, without extensions and trailers", async () => {
  await fc.assert(
    fc.asyncProperty(
      cuts,
      fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n") }),
      async (sizes, body) => {
        const source = `${body.length.toString(16)};x="\t"\r\n${body}\r\n0\r\nt: 1\r\n\r\n`;
        const text = body === "" ? "0\r\n\r\n" : source;
        const again = await collect(new ByteStream(scripted(text, sizes), 4096), { kind: "chunked" });
        assertEquals(unframed(again), body);
        assertEquals([again.includes("x="), again.includes("t:")], [false, false]);
      },
    ),
  );
});

Deno.test("passBody throws where a body is cut or its chunks are malformed", async () => {
  const cases: [string, BodyFraming][] = [
    ["abc", { kind: "length", bytes: 4 }],
    ["3\r\nab", { kind: "chunked" }],
    ["3\r\nabc\r\n", { kind: "chunked" }],
    ["0\r\n", { kind: "chunked" }],
  ];
  for (const [text, framing] of cases) {
    await assertRejects(() => collect(new ByteStream(scripted(text, [2]), 64), framing), TruncatedError);
  }
  for (const text of ["x\r\n", "3\nabc", "3\r\nabcd\r\n", "-1\r\n", "0x1\r\na\r\n", "1\r\na\n0\r\n\r\n"]) {
    await assertRejects(() => collect(new ByteStream(scripted(text, [2]), 64), { kind: "chunked" }), Error);
  }
});
