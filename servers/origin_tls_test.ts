import { assertEquals, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { connect } from "node:tls";
import { ServerProcess, until } from "../lib/testing/mod.ts";
import { type ClientVariant, connectTcp, issueCertificate, openClient } from "../lib/transport/mod.ts";
import type { Counts } from "./origin/counters.ts";

const SCRIPT = new URL("./origin.ts", import.meta.url);
const HOSTNAME = "127.0.0.1";

const { ca, key, certificate } = await issueCertificate();

function start(...flags: string[]): Promise<ServerProcess> {
  return ServerProcess.start(SCRIPT, { flags, net: [HOSTNAME], told: { key, certificate } });
}

async function json<T>({ port }: ServerProcess, path: string): Promise<T> {
  using client = Deno.createHttpClient({ caCerts: [ca] });
  return await (await fetch(`https://${HOSTNAME}:${port}${path}`, { client })).json();
}

/** What a port has counted, once every connection to it is closed. */
async function countsAt(origin: ServerProcess, port: number): Promise<Counts> {
  return await until(async () => {
    const counts: Counts = await json(origin, `/stats?port=${port}`);
    return !counts.active && counts;
  });
}

/** Handshakes, of which so many resume a session, for three requests of each client. */
const EXPECTED: readonly (readonly [ClientVariant, "http/1.1" | "h2", full: number, resumed: number])[] = [
  ["raw/new", "http/1.1", 3, 0],
  ["raw/shared", "http/1.1", 1, 0],
  ["fetch/new", "http/1.1", 3, 0],
  ["fetch/shared", "http/1.1", 1, 0],
  ["fetch/resumed", "http/1.1", 1, 2],
  ["fetch/new", "h2", 3, 0],
  ["fetch/shared", "h2", 1, 0],
  ["fetch/resumed", "h2", 1, 2],
];

for (const [stack, alpn] of [["node", "http/1.1"], ["deno", "h2"]] as const) {
  Deno.test(`origin on ${stack} over TLS tells protocols and handshakes apart, offering ${alpn}`, async () => {
    const asked = EXPECTED.filter(([, protocol]) => alpn === "h2" || protocol === alpn);
    await using origin = await start("--stack", stack, "--tls", "--alpn", alpn, "--ports", `${asked.length}`);
    for (const [index, [variant, protocol, full, resumed]] of asked.entries()) {
      const port = origin.announcement.ports[index]!;
      const tls = { caCerts: [ca], alpn: protocol };
      using client = openClient(variant, { hostname: HOSTNAME, port }, { path: "/static", tls });
      for (const method of ["GET", "HEAD", "POST"] as const) {
        const { failure, status, bodyBytes } = await client.request({ method });
        assertEquals([failure, status, bodyBytes], [null, 200, method === "HEAD" ? 0 : 64]);
      }
      client.close();
      const counts = await countsAt(origin, port);
      const sees = stack === "node";
      assertEquals([counts.requests, counts.protocols], [3, [protocol]]);
      assertEquals(counts.clientPorts, full + resumed);
      assertEquals([counts.accepted, counts.handshakes], [
        sees ? full + resumed : null,
        sees ? { full, resumed, versions: ["TLSv1.3"] } : null,
      ]);
    }
  });
}

Deno.test("origin on node tells the versions of TLS that its connections agreed on", async () => {
  await using origin = await start("--stack", "node", "--tls", "--ports", "1");
  const port = origin.announcement.ports[0]!;
  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    const limits = { minVersion: version, maxVersion: version };
    const socket = connect({ host: HOSTNAME, port, ca, ...limits });
    await once(socket, "secureConnect");
    socket.end();
    await once(socket.resume(), "close");
  }
  assertEquals((await countsAt(origin, port)).handshakes?.versions, ["TLSv1.2", "TLSv1.3"]);
});

Deno.test("origin on deno over TLS numbers connections of both protocols, and says what speaks", async () => {
  await using origin = await start("--stack", "deno", "--tls", "--alpn", "h2", "--ports", "1");
  const port = origin.announcement.ports[0]!;
  const told: unknown[] = [];
  for (const http2 of [false, true]) {
    using client = Deno.createHttpClient({ caCerts: [ca], http1: !http2, http2 });
    for (let request = 0; request < 2; request++) {
      const { connection, protocol } = await (await fetch(`https://${HOSTNAME}:${port}/conn`, { client }))
        .json();
      told.push([connection, protocol]);
    }
  }
  assertEquals(told, [[1, "http/1.1"], [1, "http/1.1"], [2, "h2"], [2, "h2"]]);
});

for (const stack of ["node", "deno"]) {
  Deno.test(`origin on ${stack} over TLS goes on when somebody speaks without it`, async () => {
    await using origin = await start("--stack", stack, "--tls");
    using plain = await connectTcp({ hostname: HOSTNAME, port: origin.port });
    await plain.writeAll(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: a\r\n\r\n"));
    const { protocol } = await json<{ protocol: string }>(origin, "/conn");
    assertEquals(protocol, stack === "node" ? "http/1.1" : "h2");
  });
}

Deno.test("origin closes a kept connection that was idle for too long, where it is told to", async () => {
  await using origin = await ServerProcess.start(SCRIPT, {
    flags: ["--stack", "node", "--idle-timeout", "10ms"],
  });
  using connection = await connectTcp({ hostname: HOSTNAME, port: origin.port });
  await connection.writeAll(new TextEncoder().encode("GET /static HTTP/1.1\r\nhost: a\r\n\r\n"));
  const buffer = new Uint8Array(4096);
  let reads = 0;
  while (await connection.read(buffer) !== null) reads++;
  assertEquals(reads > 0, true);
});

Deno.test("origin wants a key and a certificate for TLS, and repeats no key", async () => {
  for (const told of [{ key: "secret" }, { key, certificate: key }, { key: 5, certificate }, {}]) {
    const error = await ServerProcess.start(SCRIPT, { flags: ["--tls"], net: [HOSTNAME], told }).then(
      () => null,
      (error: Error) => error.message,
    );
    assertStringIncludes(error ?? "", "Cannot start origin as ");
    assertEquals([error?.includes("secret"), error?.includes(key.split("\n")[1]!)], [false, false]);
  }
  const { code, complaints } = await ServerProcess.run(SCRIPT, ["--tls"]);
  assertEquals(code, 2);
  assertStringIncludes(complaints, "deno task lab serve origin --tls makes them");
});
