import { pause } from "../../lib/system/mod.ts";
import type { AnswerOptions, Peer } from "./peer.ts";
import type { Settings } from "./settings.ts";

/** What a faulty server may do wrong. */
export interface Behaviour {
  /** What it does, in a line. */
  readonly help: string;
  /** The settings that it heeds. */
  readonly heeds: readonly (keyof Settings)[];
  /** Serves one connection to its end. */
  serve(peer: Peer, settings: Settings): Promise<void>;
}

/** The time between two pieces of a body that never ends, in milliseconds. */
const PIECE_MS = 10;

/** Answers every request as it should be. */
async function answerAll(peer: Peer, options?: AnswerOptions): Promise<void> {
  for await (const request of peer.requests()) await peer.answer(request, options);
}

/** Answers, and ends the connection when nothing has come for a time: exactly then. */
async function answerAndKeep(peer: Peer, keepMs: number, fields = ""): Promise<void> {
  let timer = setTimeout(() => peer.end("fin"), keepMs);
  try {
    for await (const request of peer.requests()) {
      clearTimeout(timer);
      await peer.answer(request, { fields });
      timer = setTimeout(() => peer.end("fin"), keepMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Every behaviour, named for what it does wrong. */
export const BEHAVIOURS = {
  "closes-after": {
    help: "ends the connection right after so many responses (1) and does not announce it",
    heeds: ["responses", "end"],
    async serve(peer, { responses, end }) {
      let left = responses ?? 1;
      if (left === 0) return peer.end(end);
      for await (const request of peer.requests()) {
        await peer.answer(request);
        if (--left === 0) return peer.end(end);
      }
    },
  },
  "reads-and-closes": {
    help: "answers so many requests (0), then reads one and ends the connection without an answer",
    heeds: ["responses", "end"],
    async serve(peer, { responses, end }) {
      let left = responses ?? 0;
      for await (const request of peer.requests()) {
        if (left-- > 0) {
          await peer.answer(request);
          continue;
        }
        request.did = end === "fin" ? "ended" : "reset";
        return peer.end(end);
      }
    },
  },
  "answers-late": {
    help: "answers each request after a time",
    heeds: ["delay"],
    async serve(peer, { delay: delayMs }) {
      for await (const request of peer.requests()) {
        await pause(delayMs);
        await peer.answer(request);
      }
    },
  },
  "accepts-late": {
    help: "accepts one connection, then none for a time: the SYN of one that finds no place is dropped",
    heeds: ["delay", "backlog"],
    serve: (peer) => answerAll(peer),
  },
  "splits-with-nagle": {
    help: "writes head and body apart with Nagle's algorithm on: the body waits for a delayed ACK",
    heeds: [],
    serve(peer) {
      peer.holdBack();
      return answerAll(peer, { apart: true });
    },
  },
  "advertises-keep-alive": {
    help: "states one Keep-Alive timeout and ends idle connections after another",
    heeds: ["advertise", "keep"],
    serve: (peer, { advertise: advertiseMs, keep: keepMs }) =>
      answerAndKeep(peer, keepMs, `keep-alive: timeout=${advertiseMs / 1000}\r\n`),
  },
  "keeps": {
    help: "ends idle connections after a time that it does not state",
    heeds: ["keep"],
    serve: (peer, { keep: keepMs }) => answerAndKeep(peer, keepMs),
  },
  "sends-close": {
    help: "announces Connection: close in each response, and ends the connection",
    heeds: [],
    async serve(peer) {
      for await (const request of peer.requests()) {
        await peer.answer(request, { fields: "connection: close\r\n" });
        return peer.end("fin");
      }
    },
  },
  "answers-forever": {
    help: "sends a body that never ends",
    heeds: [],
    async serve(peer) {
      for await (const request of peer.requests()) {
        request.did = "answering";
        await peer.say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        while (peer.open) {
          await peer.say("5\r\nmore\n\r\n");
          await pause(PIECE_MS);
        }
      }
    },
  },
  "never-answers": {
    help: "reads requests and says nothing",
    heeds: [],
    async serve(peer) {
      for await (const request of peer.requests()) request.did = "ignored";
    },
  },
  "garbage": {
    help: "speaks first, and no HTTP",
    heeds: [],
    async serve(peer) {
      await peer.say("220 faulty ESMTP\r\n");
      for await (const request of peer.requests()) request.did = "ignored";
    },
  },
} as const satisfies Record<string, Behaviour>;

/** A key of {@linkcode BEHAVIOURS}. */
export type BehaviourName = keyof typeof BEHAVIOURS;
