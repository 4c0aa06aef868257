import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { issueCertificate, type IssuedCertificate, type IssueOptions } from "../../transport/mod.ts";
import { outcomes, probe } from "./_probe.ts";
import { OK, ScriptedServer } from "./_scripted_server.ts";

/** A TLS server that answers once on every connection and then closes it. */
function serveTls({ key, certificate }: IssuedCertificate): { url: string } & Disposable {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, key, cert: certificate });
  const serve = async (socket: Deno.TlsConn) => {
    try {
      await socket.read(new Uint8Array(4096));
      await socket.write(new TextEncoder().encode(OK));
      await socket.closeWrite();
      while (await socket.read(new Uint8Array(4096)) !== null);
    } catch {
      // The probe refused the certificate, or does not speak TLS.
    }
    socket.close();
  };
  const serving = (async () => {
    for await (const socket of listener) serve(socket);
  })();
  return {
    url: `https://127.0.0.1:${listener.addr.port}/`,
    [Symbol.dispose]() {
      listener.close();
      serving.catch(() => {/* it was waiting for the next */});
    },
  };
}

Deno.test("measure() probes over TLS with an authority of one's own, and times the handshake apart", async () => {
  const made = await issueCertificate();
  using server = serveTls(made);
  const recorded = await probe(server.url, { ca: made.ca });
  assertEquals(outcomes(recorded, "asks first"), { "closed fin": 4 });
  const asking = recorded.rows.connections.filter(({ role }) => role === "asks first");
  assertEquals(asking.map(({ tlsMs }) => typeof tlsMs), Array(4).fill("number"));
});

const YEAR_MS = 365 * 86_400_000;

const UNTRUSTED: readonly [what: string, options: IssueOptions, trusted: boolean, words: RegExp][] = [
  [
    "has expired",
    { notBefore: new Date(Date.now() - 2 * YEAR_MS), notAfter: new Date(Date.now() - YEAR_MS) },
    true,
    /expired/i,
  ],
  ["is for another name", { names: ["example.test"] }, true, /name/i],
  ["nobody vouches for", {}, false, /issuer/i],
];

for (const [what, options, trusted, words] of UNTRUSTED) {
  Deno.test(`measure() refuses a certificate that ${what}, and says so`, async () => {
    const made = await issueCertificate(options);
    using server = serveTls(made);
    const error = await assertRejects(() => probe(server.url, { ca: trusted ? made.ca : null }), Error);
    assertMatch(error.message, /^Cannot probe https:.* as the TLS handshake fails \(certificate-refused\): /);
    assertMatch(error.message, words);
  });
}

Deno.test("measure() tells TLS that is spoken to a plain port, and the reverse", async () => {
  await using plain = await ScriptedServer.serve(({ socket }) =>
    void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
  );
  const error = await assertRejects(() => probe(plain.url.replace("http:", "https:")), Error);
  assertMatch(error.message, /as the TLS handshake fails \(tls-failed\): .*Check that the port speaks TLS/);
  // It waits for the end of a request, as it takes the handshake for the beginning of one.
  await using waiting = await ScriptedServer.serve(() => {});
  const late = await assertRejects(() => probe(waiting.url.replace("http:", "https:")), Error);
  assertMatch(
    late.message,
    /the TLS handshake fails \(timed-out\): No end of the TLS handshake within \d+ ms\. Check that the port speaks TLS/,
  );
  using secured = serveTls(await issueCertificate());
  const reverse = await assertRejects(() => probe(secured.url.replace("https:", "http:")), Error);
  assertMatch(reverse.message, /as it gives no answer \((bad-response|closed-early|reset)\): /);
});
