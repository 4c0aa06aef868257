import { assertEquals } from "@std/assert";
import { readRequests } from "./requests.ts";

/** What is read of text that comes in pieces of a size. */
async function read(text: string, pieceBytes: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const requests = await Array.fromAsync(readRequests(pieces()));
  return requests.map(({ method, path }) => `${method} ${path}`);
}

const HEAD = "HTTP/1.1\r\nhost: a\r\n";

Deno.test("readRequests reads one after another, wherever they are cut", async () => {
  const text =
    `GET /a ${HEAD}\r\nPOST /b ${HEAD}content-length: 10\r\n\r\nGET /ü \r\nHEAD /c?d=e HTTP/1.0\r\n\r\n`;
  for (let pieceBytes = 1; pieceBytes < text.length + 2; pieceBytes++) {
    assertEquals(await read(text, pieceBytes), ["GET /a", "POST /b", "HEAD /c?d=e"], `${pieceBytes}`);
  }
});

Deno.test("readRequests waits for a body that is not whole", async () => {
  assertEquals(await read(`POST /b ${HEAD}content-length: 9\r\n\r\n12345678`, 5), []);
});

Deno.test("readRequests ends at what is no request, and at a head that does not end", async () => {
  assertEquals(await read(`GET /a ${HEAD}\r\nEHLO a\r\n\r\nGET /b ${HEAD}\r\n`, 7), ["GET /a"]);
  assertEquals(await read(`GET /a ${HEAD}x: ${"x".repeat(70_000)}\r\n\r\nGET /b ${HEAD}\r\n`, 1000), []);
});
