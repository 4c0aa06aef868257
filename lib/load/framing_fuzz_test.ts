import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { serveScript } from "../testing/mod.ts";
import { ResponseParser } from "../transport/mod.ts";
import { localGenerator } from "./local_generator.ts";
import type { LoadClient, LoadPlan } from "./plan.ts";

/** What one request is answered with, and where it is cut into pieces. */
interface Sent {
  readonly text: string;
  readonly cuts: readonly number[];
}

/** What becomes of a request, and whether its connection goes on. */
interface Outcome {
  readonly status: number | null;
  readonly failure: string | null;
  readonly bodyBytes: number;
  readonly goesOn: boolean;
  /** How many bytes belong to the response. */
  readonly used: number;
}

const body = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "0", ":", "H"), maxLength: 30 });

const response: fc.Arbitrary<string> = fc.record({
  interim: fc.constantFrom("", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
  line: fc.constantFrom("HTTP/1.1 200 OK\r\n", "HTTP/1.1 404 Not Found\r\n", "HTTP/1.0 200 OK\r\n"),
  fields: fc.constantFrom("", "date: now\r\n", "connection: close\r\n", "connection: keep-alive\r\n"),
  framing: fc.constantFrom("length", "chunks", "end"),
  body,
}).map(({ interim, line, fields, framing, body }) => {
  const head = interim + line + fields;
  if (framing === "length") return `${head}content-length: ${body.length}\r\n\r\n${body}`;
  if (framing === "end") return `${head}\r\n${body}`;
  const chunk = body === "" ? "" : `${body.length.toString(16)};x=y\r\n${body}\r\n`;
  return `${head}transfer-encoding: chunked\r\n\r\n${chunk}0\r\nsum: 1\r\n\r\n`;
});

/** A response that is as it should be, or with one byte lost, changed or added, or with its end missing. */
const sent: fc.Arbitrary<Sent> = fc.record({
  whole: response,
  at: fc.nat({ max: 200 }),
  byte: fc.constantFrom("\r", "\n", "0", "9", ":", " ", "x", "\0"),
  change: fc.constantFrom("none", "none", "lost", "changed", "added", "ended"),
  cuts: fc.array(fc.nat({ max: 200 }), { maxLength: 3 }),
}).map(({ whole, at, byte, change, cuts }) => {
  const [before, rest] = [whole.slice(0, at), whole.slice(at)];
  switch (change) {
    case "lost":
      return { text: before + rest.slice(1), cuts };
    case "changed":
      return { text: before + byte + rest.slice(1), cuts };
    case "added":
      return { text: before + byte + rest, cuts };
    case "ended":
      return { text: before, cuts };
    default:
      return { text: whole, cuts };
  }
});

/** What a parser that gets all of it at once, and then the end, makes of it. */
function outcomeOf(text: string): Outcome {
  const parser = new ResponseParser();
  parser.begin("GET");
  const used = parser.feed(new TextEncoder().encode(text));
  const goesOn = parser.state === "done" && parser.persistent;
  parser.end();
  const { state, status, bodyBytes } = parser;
  if (state === "done") return { status, failure: null, bodyBytes, goesOn, used };
  const failure = state === "bad" ? "bad-response" : "closed-early";
  return { status: null, failure, bodyBytes: 0, goesOn: false, used };
}

for (const client of ["epoll", "raw"] satisfies LoadClient[]) {
  Deno.test(`${client} frames what comes in pieces as the parser frames it at once`, async () => {
    // Bytes after a response would be taken for the next one if they came later: the parser's own test has those.
    const stream = fc.sample(sent, { seed: 20_261_201, numRuns: 400 }).map(({ text, cuts }) => {
      const outcome = outcomeOf(text);
      return { outcome, cuts, text: outcome.failure === null ? text.slice(0, outcome.used) : text };
    });
    const outcomes = stream.map(({ outcome }) => outcome);
    let next = 0;
    await using server = serveScript(async (peer) => {
      while (await peer.request()) {
        const { text, cuts, outcome } = stream[next++]!;
        const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        for (let edge = 1; edge < edges.length; edge++) {
          const piece = text.slice(edges[edge - 1], edges[edge]);
          if (piece !== "") await peer.say(piece);
        }
        if (!outcome.goesOn) return;
      }
    });
    const { hostname, port } = server;
    const plan: LoadPlan = {
      client,
      method: "GET",
      connections: 1,
      arrivals: { loop: "closed" },
      durationMs: 30_000,
      requests: stream.length,
      timeoutMs: 10_000,
      threads: 1,
      keepRows: true,
      seed: 1,
    };
    const target = { address: hostname, hostname, port, path: "/" };
    const { signal } = new AbortController();
    const { rows, bodyBytes, fresh } = await localGenerator().load(plan, [target], { signal });
    assertEquals(
      rows!.map(({ status, failure }) => ({ status, failure })),
      outcomes.map(({ status, failure }) => ({ status, failure })),
    );
    assertEquals(bodyBytes, outcomes.reduce((sum, outcome) => sum + outcome.bodyBytes, 0));
    assertEquals(fresh, 1 + outcomes.slice(0, -1).filter(({ goesOn }) => !goesOn).length);
    const kinds = new Set(outcomes.map(({ failure, goesOn }) => failure ?? (goesOn ? "kept" : "ended")));
    assertEquals([...kinds].toSorted(), ["bad-response", "closed-early", "ended", "kept"]);
  });
}
