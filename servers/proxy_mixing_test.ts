import { assert, assertEquals } from "@std/assert";
import { randomSource } from "../lib/stats/mod.ts";
import { Chain, type Peer } from "./proxy/fixtures/chain.ts";

/** What the proof needs, over all clients. */
const REQUESTS = 100_000;
const CLIENTS = 32;
/** Requests that a client sends before it looks for answers. */
const BATCH = 25;
/** A client that does not leave on the way sends so many batches over one connection. */
const BATCHES = 8;
/** Answers of which one is larger than the proxy's buffer. */
const LARGE_EVERY = 200;
const LARGE_BYTES = 50_000;

/** What only one request in all asks for. */
type Tag = string;

function request(tag: Tag, random: () => number): string {
  const draw = random();
  if (draw < 0.8) return `GET /${tag} HTTP/1.1\r\nhost: a\r\nx-tag: ${tag}\r\n\r\n`;
  const head = `PUT /${tag} HTTP/1.1\r\nhost: a\r\nx-tag: ${tag}\r\n`;
  if (draw < 0.9) return `${head}content-length: ${tag.length}\r\n\r\n${tag}`;
  const half = tag.length >> 1;
  const chunks = [tag.slice(0, half), tag.slice(half)].map((text) =>
    `${text.length.toString(16)}\r\n${text}\r\n`
  );
  return `${head}transfer-encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`;
}

/** The body that answers a tag; its length comes from the tag, so that a cut in the wrong place shows. */
function body(tag: Tag): string {
  const number = Number(tag.split("-").at(-1));
  const size = number % LARGE_EVERY === 0 ? LARGE_BYTES : number * 7 % 300;
  return `<${tag}>${tag.repeat(Math.ceil(size / tag.length)).slice(0, size)}</${tag}>`;
}

/** Takes one request off the connection, and says what every part of it was tagged with. */
async function nextTags(peer: Peer): Promise<Tag[]> {
  const head = await peer.until("\r\n\r\n");
  const [, target = "", field = ""] = /^\w+ \/(\S+) [^]*x-tag: (\S+)/.exec(head) ?? [];
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  if (head.includes("chunked")) {
    const chunks = await peer.until("0\r\n\r\n");
    return [target, field, [...chunks.matchAll(/\r\n([^\r]+)\r\n/g)].map(([, data]) => data).join("")];
  }
  return length > 0 ? [target, field, await peer.take(length)] : [target, field];
}

/** Takes one answer. @returns its status, and its body */
async function nextAnswer(peer: Peer): Promise<[number, string]> {
  const head = await peer.until("\r\n\r\n");
  const status = Number(head.slice(9, 12));
  const length = /content-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return [status, await peer.take(Number(length))];
  let text = "";
  for (;;) {
    const size = parseInt(await peer.until("\r\n"), 16);
    text += await peer.take(size);
    await peer.until("\r\n");
    if (size === 0) return [status, text];
  }
}

Deno.test("proxy never mixes the bytes of two clients, whoever leaves whenever", async () => {
  const random = randomSource(1);
  const confused: Tag[][] = [];
  let answered = 0;
  let failed = 0;
  await using chain = await Chain.start(async (peer, index) => {
    const luck = randomSource(index);
    for (;;) {
      const tags = await nextTags(peer);
      if (new Set(tags).size !== 1) confused.push(tags);
      const text = body(tags[0]!);
      const draw = luck();
      // It ends between two answers, or within one.
      if (draw < 0.005) return peer[Symbol.dispose]();
      if (draw < 0.01) {
        await peer.send(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text.slice(0, 9)}`);
        return peer[Symbol.dispose]();
      }
      await peer.send(
        draw < 0.8
          ? `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`
          : `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n` +
            `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      );
    }
  });

  /** One connection of a client: the tags that it was answered with are its own, in their order. */
  async function visit(name: string): Promise<void> {
    using peer = await chain.client();
    for (let batch = 0; batch < BATCHES; batch++) {
      const tags = Array.from({ length: BATCH }, (_, index) => `${name}-${batch * BATCH + index}`);
      const requests = tags.map((tag) => request(tag, random));
      const leaves = random() < 0.1;
      // One that leaves does so anywhere, within a request too, and mostly before it has heard all that it asked for.
      const whole = leaves ? Math.floor(random() * BATCH) : BATCH;
      const part = leaves ? requests[whole]!.slice(0, random() * requests[whole]!.length) : "";
      await peer.send(requests.slice(0, whole).join("") + part);
      const heard = leaves ? Math.floor(random() * whole) : BATCH;
      for (const tag of tags.slice(0, heard)) {
        const [status, got] = await nextAnswer(peer);
        if (status === 502) failed++;
        else if (status !== 200 || got !== body(tag)) confused.push([tag, got.slice(0, 80)]);
        else answered++;
      }
      if (leaves) return;
    }
  }

  let visits = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      while (answered + failed < REQUESTS) {
        // An answer that was cut ends the connection: what came before it was looked at.
        await visit(`${client}-${visits++}`).catch(() => {});
        if (confused.length > 0) return;
      }
    }),
  );
  assertEquals(confused, []);
  assert(answered > REQUESTS * 0.9, `${answered} answered, ${failed} failed`);

  // And nothing is left of those who have gone: every request and every connection is accounted for.
  const stats = await chain.statsUntil(({ inFlight, clients }) => inFlight === 0 && clients.active <= 2);
  const { requests, passed, left, refused, opened, busy, idle, waiting, retired } = stats;
  const failures = stats.failed.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  assertEquals(requests, passed + left + refused + failures);
  assertEquals({ busy, waiting }, { busy: 0, waiting: 0 });
  assertEquals(
    opened,
    idle + Object.values<number>(retired).reduce((sum, count) => sum + count),
  );
  assert(left > 100 && idle <= CLIENTS, `${left} left, ${idle} idle`);
});
