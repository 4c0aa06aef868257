import { assertEquals, assertRejects } from "@std/assert";
import { type Peer, serveScript, until } from "../testing/mod.ts";
import { ShardLink } from "./shard_link.ts";

/** Looks so often that a test need not wait long for fifteen of them. */
const LOOK_MS = 10;

const COUNTS = { ask: "counts", name: 1 } as const;

const { signal } = new AbortController();

Deno.test("ShardLink: a shard that is silent is lost, is no more waited for, and is let go", async () => {
  // The system accepts for a process that is stopped, and takes what is sent to it.
  await using server = serveScript((peer: Peer) => peer.gone());
  await using link = await ShardLink.connect(server, { signal, lookMs: LOOK_MS });
  assertEquals(link.lost, null);
  const reason = "it has said nothing for long: it is stopped, or hangs";
  await assertRejects(() => link.ask(COUNTS), Error, reason);
  assertEquals(link.lost, reason);
  await assertRejects(() => link.ask(COUNTS), Error, reason);
  await until(() => server.open === 0);
});

Deno.test("ShardLink: a shard that says that it is there is waited for, however long it works", async () => {
  await using server = serveScript(async (peer: Peer) => {
    // Each more than half of what may be missed after the last one.
    for (let beat = 0; beat < 3; beat++) {
      await new Promise((wake) => setTimeout(wake, 8 * LOOK_MS));
      await peer.say(`{"id":0,"progress":null}\n`);
    }
    await peer.say(`{"id":1,"answer":"done"}\n`);
    await peer.gone();
  });
  await using link = await ShardLink.connect(server, { signal, lookMs: LOOK_MS });
  assertEquals(await link.ask(COUNTS), "done");
  assertEquals(link.lost, null);
});

Deno.test("ShardLink: what is no message is told", async () => {
  await using server = serveScript(async (peer: Peer) => {
    await peer.say("ready\n");
    await peer.gone();
  });
  await using link = await ShardLink.connect(server, { signal });
  await assertRejects(() => link.ask(COUNTS), Error, "it said what cannot be understood");
});
