import { assertEquals } from "@std/assert";
import { observePauses, PAUSES } from "./idle_pauses.ts";

/** Observes what a server lets see that numbers its requests' connections. */
async function observe(connectionOf: (clientPort: number) => number, signal = new AbortController().signal) {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (_, { remoteAddr }) => Response.json({ connection: connectionOf(remoteAddr.port) }),
  );
  const origin = { hostname: "127.0.0.1", port: server.addr.port };
  return await observePauses({ origin, longestMs: 40, signal });
}

Deno.test("observePauses() says after which pauses a connection is used again, the shortest first", async () => {
  const pauses = await observe((clientPort) => clientPort);
  assertEquals(
    pauses.map(({ pauseMs }) => pauseMs),
    Array.from({ length: PAUSES }, (_, place) => 2 + 2 * place),
  );
  assertEquals(new Set(pauses.map(({ reused }) => reused)), new Set([true]));
});

Deno.test("observePauses() says when the next request came over another connection", async () => {
  let requests = 0;
  const pauses = await observe(() => ++requests);
  assertEquals(new Set(pauses.map(({ reused }) => reused)), new Set([false]));
});

Deno.test("observePauses() does not know where a request failed", async () => {
  const pauses = await observe((clientPort) => clientPort, AbortSignal.abort());
  assertEquals(new Set(pauses.map(({ reused }) => reused)), new Set([null]));
});
