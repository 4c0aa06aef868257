import { assertEquals, assertRejects } from "@std/assert";
import { FakeConnection, flush } from "./_testing.ts";
import { WatchedConnection } from "./_watched_connection.ts";

/** A watched connection, its peer, and how often it stirred. */
function watched() {
  const peer = new FakeConnection(50_000, "127.0.0.1");
  const stirred: number[] = [];
  const connection = new WatchedConnection(peer, () => stirred.push(1));
  return { peer, connection, stirred };
}

/** Reads until a text of that length has come. */
async function readText(connection: WatchedConnection, length: number, bufferBytes: number): Promise<string> {
  const buffer = new Uint8Array(bufferBytes);
  let text = "";
  while (text.length < length) {
    const size = await connection.read(buffer);
    if (size === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, size));
  }
  return text;
}

for (const bufferBytes of [1, 3, 65_536]) {
  Deno.test(`what a watch has read is read by the next request, ${bufferBytes} bytes at a time`, async () => {
    const { peer, connection, stirred } = watched();
    for (const answer of ["first answer", "x".repeat(10_000), "third"]) {
      connection.watch();
      connection.unwatch();
      peer.say(answer);
      assertEquals(await readText(connection, answer.length, bufferBytes), answer);
    }
    assertEquals(stirred, []);
  });
}

Deno.test("a read that began before the answer came gets it", async () => {
  const { peer, connection } = watched();
  connection.watch();
  connection.unwatch();
  const reading = readText(connection, 2, 16);
  await flush();
  peer.say("ok");
  assertEquals(await reading, "ok");
  peer.end();
  assertEquals(await connection.read(new Uint8Array(1)), null);
});

Deno.test("a watch begun twice stirs once", async () => {
  const { peer, connection, stirred } = watched();
  connection.watch();
  connection.unwatch();
  connection.watch();
  peer.end();
  await flush();
  assertEquals(stirred, [1]);
});

Deno.test("what came while it was lent and nobody read stirs the next watch", async () => {
  const { peer, connection, stirred } = watched();
  connection.watch();
  connection.unwatch();
  peer.say("more than was read");
  assertEquals(await connection.read(new Uint8Array(4)), 4);
  assertEquals(stirred, []);
  connection.watch();
  await flush();
  assertEquals(stirred, [1]);
});

Deno.test("closing ends the read that a watch began, unnoticed", async () => {
  const { peer, connection, stirred } = watched();
  connection.watch();
  connection.close();
  await flush();
  assertEquals([stirred, peer.closed], [[], true]);
  await assertRejects(() => connection.read(new Uint8Array(1)), Deno.errors.BadResource);
});
