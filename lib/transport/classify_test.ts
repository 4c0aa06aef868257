import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { type AddressInfo, createServer } from "node:net";
import { once } from "node:events";
import type { FailureName } from "../record/mod.ts";
import { classify, describe } from "./classify.ts";
import { connectTcp } from "./tcp.ts";

const HOSTNAME = "127.0.0.1";

/** The error that an action ends with. */
async function errorOf(action: () => unknown): Promise<Error> {
  try {
    await action();
  } catch (error) {
    assertInstanceOf(error, Error);
    return error;
  }
  throw new Error("The action did not fail");
}

/** The kind of the error that an expression ends with in a process that a launcher starts. */
async function kindUnder(launcher: readonly string[], expression: string): Promise<string> {
  const program = `
    import { classify } from "${import.meta.resolve("./classify.ts")}";
    try {
      await ${expression};
    } catch (error) {
      console.log(classify(error, "connect").kind);
      Deno.exit();
    }`;
  const [command, ...args] = launcher;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const child = new Deno.Command(command!, {
    args: [
      ...args,
      "deno",
      "run",
      "--quiet",
      "--frozen",
      `--config=${config}`,
      `--allow-net=${HOSTNAME},192.0.2.1`,
      "--ext=ts",
      "-",
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(program));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

function assertKind(error: unknown, kind: FailureName): void {
  assertEquals(classify(error, "wait").kind, kind, describe(error));
}

Deno.test("classify knows a refused connection, and gives phase and side", async () => {
  const listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
  const { port } = listener.addr;
  listener.close();
  const error = await errorOf(() => connectTcp({ hostname: HOSTNAME, port }));
  assertEquals(classify(error, "connect"), { phase: "connect", kind: "refused", side: "server" });
});

Deno.test("classify knows a reset, and a pipe that it broke", async () => {
  const server = createServer((socket) => socket.on("data", () => socket.resetAndDestroy()));
  server.listen(0, HOSTNAME);
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    using connection = await connectTcp({ hostname: HOSTNAME, port });
    await connection.writeAll(new Uint8Array(1));
    assertKind(await errorOf(() => connection.read(new Uint8Array(1))), "reset");
    const broken = await errorOf(() => connection.writeAll(new Uint8Array(1)));
    assertEquals(broken.name, "BrokenPipe");
    assertKind(broken, "reset");
  } finally {
    server.close();
  }
});

Deno.test("classify knows an address that is taken", async () => {
  using listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
  const { port } = listener.addr;
  assertKind(await errorOf(() => Deno.listen({ hostname: HOSTNAME, port })), "address-in-use");
});

Deno.test("classify knows a connection that took too long", async () => {
  using listener = Deno.listen({ hostname: HOSTNAME, port: 0, tcpBacklog: 1 });
  const { port } = listener.addr;
  const held: Disposable[] = [];
  try {
    const error = await errorOf(async () => {
      while (held.length < 100) {
        held.push(await connectTcp({ hostname: HOSTNAME, port, signal: AbortSignal.timeout(200) }));
      }
    });
    assertEquals(error.name, "TimeoutError");
    assertEquals(classify(error, "connect"), { phase: "connect", kind: "timed-out", side: "unknown" });
  } finally {
    for (const connection of held) connection[Symbol.dispose]();
  }
});

/** Errors that come about in namespaces of one's own, which not every machine lets a person make. */
const APART: readonly [what: string, kind: FailureName, launcher: readonly string[], expression: string][] = [
  [
    "an address that cannot be assigned",
    "local-ports-exhausted",
    ["unshare", "-r"],
    // 192.0.2.0/24 is no machine's: RFC 5737.
    `Deno.listen({ hostname: "192.0.2.1", port: 0 })`,
  ],
  [
    "an address that cannot be reached",
    "unreachable",
    // In a network namespace of its own not even the loopback interface is up.
    ["unshare", "-rn"],
    `Deno.connect({ hostname: "${HOSTNAME}", port: 80 })`,
  ],
  [
    "that descriptors ran out",
    "descriptors-exhausted",
    ["unshare", "-r", "sh", "-c", 'ulimit -n 64; exec "$@"', "sh"],
    `(async () => {
      const { addr } = Deno.listen({ hostname: "${HOSTNAME}", port: 0 });
      for (;;) await Deno.connect({ hostname: "${HOSTNAME}", port: addr.port });
    })()`,
  ],
];

async function canUnshare(): Promise<boolean> {
  try {
    return (await new Deno.Command("unshare", { args: ["-rn", "true"] }).output()).success;
  } catch {
    return false;
  }
}

const ignore = !(await canUnshare());
for (const [what, kind, launcher, expression] of APART) {
  Deno.test({
    name: `classify knows ${what}`,
    ignore,
    fn: async () => assertEquals(await kindUnder(launcher, expression), kind),
  });
}

Deno.test("classify goes by number where an error has neither code nor a known name", () => {
  const message = `client error (Connect): tcp connect error: Cannot assign requested address (os error ${
    Deno.build.os === "linux" ? 99 : Deno.build.os === "darwin" ? 49 : 10049
  })`;
  assertKind(new TypeError("fetch failed", { cause: new Error(message) }), "local-ports-exhausted");
});

Deno.test("classify knows codes, names and words", () => {
  const coded = (code: string) => Object.assign(new Error("No route to host"), { code });
  for (
    const [error, kind] of [
      [coded("EHOSTUNREACH"), "unreachable"],
      [new Deno.errors.NetworkUnreachable("Network is unreachable"), "unreachable"],
      [coded("ENFILE"), "descriptors-exhausted"],
      [new Deno.errors.TimedOut("Connection timed out"), "timed-out"],
      // Deno.connect, once in some thousand connections that are reset as soon as they stand.
      [new Deno.errors.NotConnected("Transport endpoint is not connected (os error 107)"), "reset"],
      [coded("ENOTCONN"), "reset"],
      [new Deno.errors.UnexpectedEof(), "closed-early"],
      [new DOMException("The operation was aborted due to timeout", "TimeoutError"), "timed-out"],
      [new Error("failed to lookup address information: Name or service not known"), "name-not-found"],
      [new Deno.errors.InvalidData("invalid peer certificate: UnknownIssuer"), "certificate-refused"],
      [new Deno.errors.InvalidData("an alert that is not known"), "tls-failed"],
      [new TypeError("client error (Connect): tls handshake eof"), "closed-early"],
      [new Error("something else"), "other"],
      ["not an error", "other"],
      [undefined, "other"],
    ] as const
  ) {
    assertKind(error, kind);
  }
});

Deno.test("classify and describe follow causes, and no circle", () => {
  const inner = new Error("inner");
  const outer = new TypeError("outer", { cause: inner });
  assertEquals(describe(outer), "outer: inner");
  inner.cause = outer;
  assertEquals(describe(outer), "outer: inner");
  assertKind(outer, "other");
  assertEquals(describe("text"), "text");
});

Deno.test("connectTcp gives up with the reason of its signal", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await assertRejects(() => connectTcp({ hostname: HOSTNAME, port: 1, signal }), Error, "enough");
});
