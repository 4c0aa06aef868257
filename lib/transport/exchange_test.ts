import { assertEquals, assertExists, assertGreaterOrEqual, assertNotEquals } from "@std/assert";
import { answering, type Peer, respond, serveScript } from "../testing/mod.ts";
import { type Answer, exchange } from "./exchange.ts";
import { encodeRequest, type Method } from "./http1_request.ts";
import { ResponseParser } from "./http1_response.ts";
import { connectTcp } from "./tcp.ts";

/** Makes exchanges over one connection to a server that follows a script. */
async function exchangeWith(
  script: (peer: Peer) => Promise<void>,
  methods: readonly Method[] = ["GET"],
): Promise<Answer[]> {
  await using server = serveScript(script);
  const { hostname, port } = server;
  using connection = await connectTcp({ hostname, port });
  const tools = { buffer: new Uint8Array(256), parser: new ResponseParser(), now: () => performance.now() };
  const answers: Answer[] = [];
  for (const method of methods) {
    const bytes = encodeRequest({ method, path: "/", hostname, port });
    answers.push(await exchange(connection, { method, bytes }, tools));
  }
  return answers;
}

async function exchangeOnce(script: (peer: Peer) => Promise<void>): Promise<Answer> {
  const [answer] = await exchangeWith(script);
  assertExists(answer);
  return answer;
}

/** Which phases have a time. */
function phases({ sendMs, waitMs, receiveMs }: Answer): string {
  return Object.entries({ sendMs, waitMs, receiveMs }).filter(([, ms]) => ms !== null).map(([name]) => name)
    .join();
}

Deno.test("exchange tells a whole response, whose connection may be used again", async () => {
  const answers = await exchangeWith(answering(respond("hello")), ["GET", "POST"]);
  for (const answer of answers) {
    assertEquals(phases(answer), "sendMs,waitMs,receiveMs");
    const { status, bodyBytes, serverCloses, reusable, failure, error } = answer;
    assertEquals({ status, bodyBytes, serverCloses, reusable, failure, error }, {
      status: 200,
      bodyBytes: 5,
      serverCloses: false,
      reusable: true,
      failure: null,
      error: null,
    });
  }
});

Deno.test("exchange counts a body larger than its buffer", async () => {
  const answer = await exchangeOnce(answering(respond("x".repeat(100_000))));
  assertEquals([answer.bodyBytes, answer.reusable], [100_000, true]);
});

Deno.test("exchange expects no body after HEAD", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n";
  const answers = await exchangeWith(answering(head), ["HEAD", "HEAD"]);
  assertEquals(answers.map(({ bodyBytes, reusable }) => [bodyBytes, reusable]), [[0, true], [0, true]]);
});

Deno.test("exchange does not offer a connection again that the server ends or that holds too much", async () => {
  for (
    const [text, serverCloses] of [
      [respond("hello", "connection: close\r\n"), true],
      [respond("hello") + "surplus", false],
      ["HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello", true],
    ] as const
  ) {
    const answer = await exchangeOnce(answering(text));
    assertEquals([answer.bodyBytes, answer.failure], [5, null], text);
    assertEquals([answer.serverCloses, answer.reusable], [serverCloses, false], text);
  }
});

Deno.test("exchange reads a body to the end of the connection", async () => {
  const answer = await exchangeOnce(async (peer) => {
    await peer.request();
    await peer.say("HTTP/1.1 200 OK\r\n\r\nhello");
  });
  assertEquals([answer.bodyBytes, answer.failure, answer.reusable], [5, null, false]);
});

Deno.test("exchange tells in which phase the connection ended", async () => {
  for (
    const [text, phase, status, bodyBytes] of [
      ["", "wait", null, 0],
      ["HTTP/1.1 200 OK\r\n", "receive", null, 0],
      ["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel", "receive", 200, 3],
    ] as const
  ) {
    const answer = await exchangeOnce(async (peer) => {
      await peer.request();
      await peer.say(text);
    });
    assertEquals(answer.failure, { phase, kind: "closed-early", side: "server" }, text);
    assertEquals([answer.status, answer.bodyBytes, answer.reusable], [status, bodyBytes, false], text);
    assertEquals(phases(answer), phase === "wait" ? "sendMs,waitMs" : "sendMs,waitMs,receiveMs");
    assertNotEquals(answer.error, null);
  }
});

Deno.test("exchange tells what is no response", async () => {
  const answer = await exchangeOnce(answering("220 mail ready\r\n"));
  assertEquals(answer.failure, { phase: "receive", kind: "bad-response", side: "server" });
  assertEquals([answer.status, answer.serverCloses], [null, null]);
});

Deno.test("exchange makes a failed write a value", async () => {
  const tools = { buffer: new Uint8Array(256), parser: new ResponseParser(), now: () => 0 };
  const broken = {
    localPort: 1,
    read: () => Promise.reject(new Error("unreached")),
    writeAll: () => Promise.reject(new Deno.errors.BrokenPipe("Broken pipe (os error 32)")),
    close() {},
    [Symbol.dispose]() {},
  };
  const answer = await exchange(broken, { method: "GET", bytes: new Uint8Array(1) }, tools);
  assertEquals(answer.failure, { phase: "send", kind: "reset", side: "server" });
  assertEquals([phases(answer), answer.error], ["sendMs", "Broken pipe (os error 32)"]);
});

Deno.test("exchange takes its times from the clock that it is given", async () => {
  let reads = 0;
  let readings = 0;
  const pieces = ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", "ok"];
  const connection = {
    localPort: 1,
    read: (into: Uint8Array) => Promise.resolve(new TextEncoder().encodeInto(pieces[reads++]!, into).written),
    writeAll: () => Promise.resolve(),
    close() {},
    [Symbol.dispose]() {},
  };
  const clock = [100, 101, 104, 109];
  const tools = { buffer: new Uint8Array(256), parser: new ResponseParser(), now: () => clock[readings++]! };
  const { sendMs, waitMs, receiveMs } = await exchange(connection, {
    method: "GET",
    bytes: new Uint8Array(1),
  }, tools);
  assertEquals({ sendMs, waitMs, receiveMs }, { sendMs: 1, waitMs: 3, receiveMs: 5 });
  assertGreaterOrEqual(clock.length, readings);
});
