import { assertEquals } from "@std/assert";
import { failure } from "../../record/mod.ts";
import { issueCertificate } from "../../transport/mod.ts";
import { type ConcurrentOptions, openConcurrent } from "./clients.ts";

/** What becomes of one request, by the client that makes it. */
async function failures(options: Pick<ConcurrentOptions, "origin" | "ca">) {
  const limits = { protocol: "http/1.1", maxConnections: 2, maxIdle: 1 } as const;
  return await Promise.all((["raw", "fetch"] as const).map(async (client) => {
    using opened = openConcurrent({ client, ...limits }, { ...options, now: () => performance.now() });
    return (await opened.request("/")).failure;
  }));
}

Deno.test("a certificate that is refused is a failure of the TLS handshake, whoever makes the request", async () => {
  const { key, certificate } = await issueCertificate();
  const { ca } = await issueCertificate();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, key, cert: certificate, onListen: () => {} },
    () => new Response("ok"),
  );
  const origin = { hostname: "127.0.0.1", port: server.addr.port };
  const refused = failure("tls", "certificate-refused");
  assertEquals(await failures({ origin, ca }), [refused, refused]);
});

Deno.test("a port that nobody listens at is a failure of the connect, over TLS too", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const origin = { hostname: "127.0.0.1", port: listener.addr.port };
  listener.close();
  const refused = failure("connect", "refused");
  for (const ca of [undefined, (await issueCertificate()).ca]) {
    assertEquals(await failures({ origin, ca }), [refused, refused]);
  }
});
