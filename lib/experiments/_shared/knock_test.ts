import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { FAILURES } from "../../record/mod.ts";
import { knock } from "./knock.ts";

/** A server that does something to each connection, ended with its block. */
function listen(act: (connection: Deno.Conn) => Promise<void> | void): Disposable & { readonly url: string } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.Conn[] = [];
  (async () => {
    for await (const connection of listener) {
      connections.push(connection);
      Promise.resolve(act(connection)).catch(() => {});
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}/`,
    [Symbol.dispose]() {
      listener.close();
      for (const connection of connections) connection.close();
    },
  };
}

async function refusal(url: string): Promise<string> {
  const knocking = () => knock(url, { warn: () => {}, limitMs: 100 });
  return (await assertRejects(knocking, Error)).message;
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("knock() gives up on a server that never answers, and says so", async () => {
  using silent = listen(() => {});
  assertEquals(
    await refusal(silent.url),
    `Cannot measure ${silent.url} as it gives no answer (timed-out): No answer within 100 ms. ` +
      FAILURES["timed-out"].remedy,
  );
});

Deno.test("knock() gives up on a server whose answer never ends", async () => {
  using endless = listen(async (connection) => {
    await connection.write(bytes("HTTP/1.1 200 OK\r\n\r\n"));
    while (true) await connection.write(bytes("more and more of it"));
  });
  assertMatch(
    await refusal(endless.url),
    /gives no answer \(timed-out\): No answer within 100 ms\. Name a URL/,
  );
});

Deno.test("knock() refuses a server that closes, and one that speaks something else", async () => {
  using closing = listen(async (connection) => {
    await connection.read(new Uint8Array(1024));
    (connection as Deno.TcpConn).closeWrite();
  });
  assertMatch(
    await refusal(closing.url),
    /gives no answer \(closed-early\): The connection ended before.*log/,
  );
  using greeting = listen(async (connection) => void await connection.write(bytes("220 mail ready\r\n")));
  assertMatch(
    await refusal(greeting.url),
    /gives no answer \(bad-response\): .*Check that the port speaks HTTP/,
  );
});

Deno.test("knock() says what to do about a port where nothing listens, and about a name that nobody has", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  assertStringIncludes(
    await refusal(`http://127.0.0.1:${port}/`),
    `Cannot measure http://127.0.0.1:${port}/ as it takes no connection (refused): `,
  );
  assertMatch(await refusal(`http://127.0.0.1:${port}/`), /Start the server, or correct the port$/);
});

Deno.test("knock() warns of a server that answers with another status than success, and goes on", async () => {
  using moved = listen(async (connection) => {
    await connection.read(new Uint8Array(1024));
    await connection.write(bytes("HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n"));
  });
  const codes: string[] = [];
  const subject = await knock(moved.url, { warn: ({ code }) => void codes.push(code) });
  assertEquals(codes, ["target-status"]);
  assertEquals(new URL(moved.url).port, `${subject.next().port}`);
});
