import { assertEquals } from "@std/assert";
import { answering, type Peer, serveScript } from "../testing/mod.ts";
import { localGenerator } from "./local_generator.ts";
import { LOAD_CLIENTS, type LoadClient, type LoadPlan } from "./plan.ts";
import type { LoadReport } from "./report.ts";

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

/** What a server does wrong, and what becomes of every request to it: its phase and kind, or its status. */
interface Wrong {
  readonly script: (peer: Peer) => Promise<void>;
  readonly end: string | number;
  /** What `fetch` makes of it, which does not tell when the first byte came. @default {the same} */
  readonly fetchEnd?: string;
  /** @default {as long as no test takes} */
  readonly timeoutMs?: number;
}

const REQUESTS = 4;

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
  "never answers": { script: (peer) => peer.gone(), end: "wait timed-out", timeoutMs: 100 },
  "begins an answer and stops": {
    script: async (peer) => {
      await peer.request();
      await peer.say("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello");
      await peer.gone();
    },
    end: "receive timed-out",
    timeoutMs: 100,
  },
};

async function load(client: LoadClient, { script, timeoutMs = 20_000 }: Wrong): Promise<LoadReport> {
  await using server = serveScript(script);
  const { hostname, port } = server;
  const plan: LoadPlan = {
    client,
    method: "GET",
    connections: 2,
    arrivals: { loop: "closed" },
    durationMs: 20_000,
    requests: REQUESTS,
    timeoutMs,
    threads: 1,
    keepRows: false,
    seed: 1,
  };
  const target = { address: hostname, hostname, port, path: "/" };
  return await localGenerator().load(plan, [target], { signal: new AbortController().signal });
}

for (const client of LOAD_CLIENTS) {
  Deno.test(`${client} accounts for every request to a server that does wrong`, async (t) => {
    for (const [name, wrong] of Object.entries(WRONG)) {
      await t.step(name, async () => {
        const { sent, answered, failures, unfinished } = await load(client, wrong);
        const ends = failures.map(({ phase, kind, count }): unknown[] => [`${phase} ${kind}`, count]);
        answered.forEach((count, hundreds) => count > 0 && ends.push([hundreds * 100, count]));
        const end = client === "fetch" ? wrong.fetchEnd ?? wrong.end : wrong.end;
        assertEquals({ sent, unfinished, ends }, { sent: REQUESTS, unfinished: 0, ends: [[end, REQUESTS]] });
      });
    }
  });
}
