import { assertEquals } from "@std/assert";
import { answering, type Peer, type ScriptedServer, serveScript, until } from "../testing/mod.ts";
import { localGenerator } from "./local_generator.ts";
import { LOAD_CLIENTS, type LoadClient, type LoadPlan } from "./plan.ts";

/** Says something to each request, and then ends the connection. */
function saying(text: string): (peer: Peer) => Promise<void> {
  return async (peer) => {
    if (await peer.request()) await peer.say(text);
  };
}

/** Begins a header, and goes on with it for as long as the client takes it. */
async function sayHeaderWithoutEnd(peer: Peer): Promise<void> {
  if (!await peer.request()) return;
  await peer.say("HTTP/1.1 200 OK\r\n");
  for (;;) await peer.say(`x-more: ${"a".repeat(4096)}\r\n`);
}

/** Begins a body, and goes on with it for as long as the client takes it. */
async function sayBodyWithoutEnd(peer: Peer): Promise<void> {
  if (!await peer.request()) return;
  await peer.say("HTTP/1.1 200 OK\r\n\r\n");
  for (;;) {
    await peer.say("a".repeat(65_536));
    // Who writes as fast as it is read would never let the test's own timers ring.
    await new Promise((wake) => setTimeout(wake));
  }
}

/** What a server does wrong, and what becomes of every request to it: its phase and kind, or its status. */
interface Wrong {
  readonly script: (peer: Peer) => Promise<void>;
  readonly end: string | number;
  /** What `fetch` makes of it, which does not tell when the first byte came. @default {the same} */
  readonly fetchEnd?: string;
  /** Whether nothing but a limit in time ends a request. @default {false} */
  readonly stalls?: boolean;
}

const WRONG: Readonly<Record<string, Wrong>> = {
  "answers with garbage": {
    script: saying("220 mail ready\r\n"),
    end: "receive bad-response",
    fetchEnd: "wait bad-response",
  },
  "ends in the middle of the head": {
    script: saying("HTTP/1.1 200 OK\r\ncontent-le"),
    end: "receive closed-early",
    fetchEnd: "wait closed-early",
  },
  "sends a header without end": {
    script: sayHeaderWithoutEnd,
    end: "receive bad-response",
    fetchEnd: "wait bad-response",
  },
  "sends less than it said": {
    script: saying("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"),
    end: "receive closed-early",
  },
  "sends more than it said": {
    script: answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhello"),
    end: 200,
  },
  "gives two lengths": {
    script: answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nhello"),
    end: "receive bad-response",
    fetchEnd: "wait bad-response",
  },
  "breaks a chunk": {
    script: answering("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello!"),
    end: "receive bad-response",
    // It says the same of a body that is malformed and of one that is cut.
    fetchEnd: "receive closed-early",
  },
  "ends in the middle of chunks": {
    script: saying("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    end: "receive closed-early",
  },
  "ends without an answer": { script: saying(""), end: "wait closed-early" },
  "never answers": { script: (peer) => peer.gone(), end: "wait timed-out", stalls: true },
  "sends a body without end": { script: sayBodyWithoutEnd, end: "receive timed-out", stalls: true },
  "begins an answer and stops": {
    script: async (peer) => {
      await peer.request();
      await peer.say("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello");
      await peer.gone();
    },
    end: "receive timed-out",
    stalls: true,
  },
};

/** How the requests to each of some servers end, all of which are loaded at once. */
async function endsOf(
  client: LoadClient,
  servers: readonly ScriptedServer[],
  timeoutMs: number | null,
): Promise<unknown[]> {
  const enough = new AbortController();
  const plan: LoadPlan = {
    client,
    method: "GET",
    connections: servers.length,
    arrivals: { loop: "closed" },
    durationMs: 20_000,
    requests: null,
    timeoutMs,
    threads: 1,
    keepRows: true,
    seed: 1,
  };
  const targets = servers.map(({ hostname, port }) => ({ address: hostname, hostname, port, path: "/" }));
  const load = localGenerator().load(plan, targets, { signal: enough.signal });
  // All of them need a new connection for each request: when there is a third one, two have ended.
  await until(() => servers.every(({ accepted }) => accepted > 2));
  enough.abort();
  const { rows } = await load;
  return servers.map((_, connection) => {
    const ended = rows!.filter((row) => row.connection === connection && row.endMs !== null);
    const ends = ended.map(({ status, phase, failure }) => failure === null ? status : `${phase} ${failure}`);
    return [...new Set(ends)].join(", ");
  });
}

for (const client of LOAD_CLIENTS) {
  for (const stalls of [false, true]) {
    Deno.test(`${client} accounts for requests to servers that ${stalls ? "stall" : "do wrong"}`, async () => {
      const wrongs = Object.entries(WRONG).filter(([, wrong]) => (wrong.stalls ?? false) === stalls);
      await using stack = new AsyncDisposableStack();
      const servers = wrongs.map(([, { script }]) => stack.use(serveScript(script)));
      const ends = await endsOf(client, servers, stalls ? 100 : null);
      const found = wrongs.map(([name], index) => [name, ends[index]]);
      const expected = wrongs.map(([name, { end, fetchEnd = end }]) => [
        name,
        `${client === "fetch" ? fetchEnd : end}`,
      ]);
      assertEquals(Object.fromEntries(found), Object.fromEntries(expected));
    });
  }
}
