import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { issueCertificate, type IssuedCertificate } from "../../transport/mod.ts";
import { pause } from "../../system/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { measure } from "./measure.ts";
import type { Values } from "./params.ts";
import { type Tables, tables } from "./tables.ts";

const issued = await issueCertificate({ names: ["127.0.0.1"] });

async function measureTarget(
  target: string,
  values: Partial<Values> = {},
  notes = new RecordingContext<Tables>(tables),
): Promise<RecordingContext<Tables>> {
  await measure({
    ...{ requests: 4, rounds: 2, client: "both", stack: "node", keyType: "ecdsa-p256", alpn: "http/1.1" },
    ...{ bodyBytes: 1, target, plainTarget: null, ca: issued.ca },
    ...values,
  }, notes.context);
  return notes;
}

/** A server in this process, ended with its block; over TLS, when it has a certificate. */
function serve(
  identity: IssuedCertificate | null,
  answer: () => Response | Promise<Response> = () => new Response("mine"),
): AsyncDisposable & { readonly url: string } {
  const address = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = identity === null
    ? Deno.serve(address, answer)
    : Deno.serve({ ...address, cert: identity.certificate, key: identity.key }, answer);
  return {
    url: `${identity === null ? "http" : "https"}://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** What the rows of a table have in some columns, by variant. */
function byVariant(
  { rows }: RecordingContext<Tables>,
  table: keyof Tables,
  column: string,
): Record<string, unknown[]> {
  const groups = Object.groupBy(rows[table], ({ variant }) => `${variant}`);
  return Object.fromEntries(
    Object.entries(groups).sort().map(([variant, rows]) => [variant, rows!.map((row) => row[column])]),
  );
}

/** Measures what must be refused: it is told in one message, and no row is recorded. */
async function refused(target: string, values: Partial<Values> = {}): Promise<string> {
  const notes = new RecordingContext<Tables>(tables);
  const { message } = await assertRejects(() => measureTarget(target, values, notes), Error);
  assertEquals(notes.rows, { requests: [], rounds: [] });
  return message;
}

Deno.test("measure() takes a target's TLS and plain variants in turns, each with the protocol it spoke", async () => {
  await using tls = serve(issued);
  await using plain = serve(null);
  const notes = await measureTarget(tls.url, { plainTarget: plain.url });
  assertEquals(byVariant(notes, "rounds", "protocol"), {
    ...Object.fromEntries(VARIANTS.map((variant) => [variant, ["http/1.1", "http/1.1"]])),
  });
  assertEquals(byVariant(notes, "rounds", "connections")["tls/raw/new"], [4, 4]);
  assertEquals(byVariant(notes, "rounds", "connections")["tls/raw/shared"], [1, 1]);
  assertEquals(new Set(notes.rows.requests.map(({ failureKind }) => failureKind)), new Set([null]));
  assertEquals(notes.warnings, ["loopback"]);
});

Deno.test("measure() warns of waits as long as a delayed ACK, of a target and of fetch, and records them", async () => {
  let requests = 0;
  await using tls = serve(issued, async () => {
    if (++requests % 2 === 0) await pause(42);
    return new Response("mine");
  });
  const notes = await measureTarget(tls.url, { rounds: 1, requests: 30, client: "fetch" });
  assertEquals(notes.warnings, ["loopback", "delayed-arms"]);
  assertEquals(notes.rows.requests.length, 3 * 30);
});

const VARIANTS = [
  ...["plain/fetch/new", "plain/fetch/shared", "plain/raw/new", "plain/raw/shared"],
  ...["tls/fetch/new", "tls/fetch/resumed", "tls/fetch/shared", "tls/raw/new", "tls/raw/shared"],
];

Deno.test("measure() has a TLS phase for each connection that raw opens over TLS, and for nothing else", async () => {
  await using tls = serve(issued);
  await using plain = serve(null);
  const notes = await measureTarget(tls.url, { plainTarget: plain.url, rounds: 1 });
  const handshakes = Object.entries(byVariant(notes, "requests", "tlsMs")).map(([variant, times]) =>
    [variant, times.filter((time) => time !== null).length] as const
  );
  assertEquals(handshakes.filter(([_, count]) => count > 0), [["tls/raw/new", 4], ["tls/raw/shared", 1]]);
  const { requests } = notes.rows;
  for (const { variant, connectMs, tlsMs, sendMs, waitMs, receiveMs, elapsedMs } of requests) {
    if (!`${variant}`.startsWith("tls/raw/")) continue;
    const phases = [connectMs, tlsMs, sendMs, waitMs, receiveMs].map((time) => (time ?? 0) as number);
    assert(phases.reduce((total, time) => total + time) <= (elapsedMs as number) + 0.01);
  }
});

Deno.test("measure() takes a target without a plain URL over TLS alone", async () => {
  await using tls = serve(issued);
  const notes = await measureTarget(tls.url, { rounds: 1, client: "raw" });
  assertEquals(Object.keys(byVariant(notes, "rounds", "round")), ["tls/raw/new", "tls/raw/shared"]);
});

Deno.test("measure() over HTTP/2 records it, and leaves raw out", async () => {
  await using tls = serve(issued);
  const notes = await measureTarget(tls.url, { rounds: 1, alpn: "h2" });
  assertEquals(byVariant(notes, "rounds", "protocol"), {
    ...{ "tls/fetch/new": ["h2"], "tls/fetch/resumed": ["h2"], "tls/fetch/shared": ["h2"] },
  });
});

/** What was refused, and what can be done. */
const UNTRUSTED =
  /^Cannot measure https:.* as the TLS handshake fails \(certificate-refused\): .*Renew the certificate/;

Deno.test("measure() refuses a target whose certificate it cannot trust", async () => {
  await using tls = serve(issued);
  const { ca } = await issueCertificate({ names: ["127.0.0.1"] });
  assertMatch(await refused(tls.url, { ca }), UNTRUSTED);
});

Deno.test("measure() refuses a certificate that has expired, and one for another name", async () => {
  const past = { notBefore: new Date("2020-01-01"), notAfter: new Date("2020-01-02") };
  for (const options of [{ names: ["127.0.0.1"], ...past }, { names: ["example.test"] }]) {
    const identity = await issueCertificate(options);
    await using tls = serve(identity);
    for (const client of ["raw", "fetch"] as const) {
      assertMatch(
        await refused(tls.url, { ca: identity.ca, client }),
        UNTRUSTED,
      );
    }
  }
});

Deno.test("measure() refuses TLS to a plain port, and plain HTTP to a TLS port", async () => {
  await using tls = serve(issued);
  await using plain = serve(null);
  assertMatch(
    await refused(plain.url.replace("http:", "https:")),
    /the TLS handshake fails \(tls-failed\): .*Check that the port speaks TLS/,
  );
  const plainTarget = tls.url.replace("https:", "http:");
  assertMatch(
    await refused(tls.url, { plainTarget }),
    new RegExp(`${plainTarget} as it gives no answer \\(`),
  );
});

Deno.test("measure() refuses a target that takes no connection, and one that resets it", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const closing = (async () => {
    for await (const connection of listener) connection.close();
  })();
  assertMatch(await refused(`https://127.0.0.1:${port}/`), /the TLS handshake fails \(/);
  listener.close();
  await closing;
  assertMatch(await refused(`https://127.0.0.1:${port}/`), /takes no connection \(refused\): /);
});
