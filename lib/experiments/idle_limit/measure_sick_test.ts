import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { RecordingContext } from "../_shared/recording_context.ts";
import { outcomes, PATIENCE_MS, probe, VALUES } from "./_probe.ts";
import { type Arrival, ScriptedServer } from "./_scripted_server.ts";
import { measure } from "./measure.ts";
import { tables } from "./tables.ts";

const SICK: readonly [what: string, message: RegExp, answer: (arrival: Arrival) => void][] = [
  ["resets", /gives no answer \(reset\): .*reset/i, ({ socket }) => socket.resetAndDestroy()],
  ["closes without an answer", /gives no answer \(closed-early\)/, ({ socket }) => void socket.end()],
  ["never answers", /gives no answer \(timed-out\): No whole answer within \d+ ms/, () => {}],
  [
    "answers forever",
    /gives no answer \(timed-out\): No whole answer within \d+ ms\. Name a URL whose answer ends/,
    ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const more = setInterval(() => socket.write("1\r\nx\r\n"), 5);
      socket.once("close", () => clearInterval(more));
    },
  ],
  [
    "speaks another protocol",
    /gives no answer \(bad-response\)/,
    ({ socket }) => void socket.write("220 mail\r\n"),
  ],
];

for (const [what, message, answer] of SICK) {
  Deno.test(`measure() says within its budget that a target ${what}, and keeps the rows`, async () => {
    await using server = await ScriptedServer.serve(answer);
    const recorded = new RecordingContext(tables);
    const start = performance.now();
    const error = await assertRejects(
      () => measure({ ...VALUES, target: server.url }, recorded.context),
      Error,
    );
    assertMatch(error.message, new RegExp(`^Cannot probe ${server.url.replace("?", "\\?")} as it `));
    assertMatch(error.message, message);
    assert(performance.now() - start < PATIENCE_MS);
    assertEquals(outcomes(recorded, "asks first"), { failed: 4 });
  });
}

Deno.test("measure() says that a target takes no connection, with the remedy", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  await assertRejects(
    () => probe(`http://127.0.0.1:${port}/`),
    Error,
    `Cannot probe http://127.0.0.1:${port}/ as it takes no connection (refused): `,
  );
});
