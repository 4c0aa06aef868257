import { assert, assertEquals, assertMatch } from "@std/assert";
import { issueCertificate } from "../transport/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { lab, run, valuesOf } from "./_task.ts";

const SMALL = ["--requests", "10", "--rounds", "2"];

Deno.test("lab run tls-vs-plain has full and resumed handshakes and their version from the server, and no key on disk", async () => {
  using data = new TemporaryFolder();
  const document = await run("tls-vs-plain", ...SMALL, "--data", data.path);
  assertEquals(valuesOf(document, "connections"), {
    ...{ "plain/fetch/new": 10, "plain/fetch/shared": 1, "plain/raw/new": 10, "plain/raw/shared": 1 },
    ...{ "tls/fetch/new": 10, "tls/fetch/resumed": 10, "tls/fetch/shared": 1 },
    ...{ "tls/raw/new": 10, "tls/raw/resumed": null, "tls/raw/shared": 1 },
  });
  assertEquals(valuesOf(document, "handshakesFull"), {
    ...{ "tls/fetch/new": 10, "tls/fetch/resumed": 1, "tls/fetch/shared": 1 },
    ...{ "tls/raw/new": 10, "tls/raw/resumed": null, "tls/raw/shared": 1 },
  });
  assertEquals(valuesOf(document, "handshakesResumed"), {
    ...{ "tls/fetch/new": 0, "tls/fetch/resumed": 9, "tls/fetch/shared": 0 },
    ...{ "tls/raw/new": 0, "tls/raw/resumed": null, "tls/raw/shared": 0 },
  });
  const file = (name: string) => Deno.readTextFileSync(`${data.path}/${document.id}/${name}`);
  const rounds = file("rounds.csv").split("\n").filter((line) => line.includes("tls/"));
  assertEquals(rounds.map((line) => line.includes(",TLSv1.3,")), Array(10).fill(true));
  for (const { name } of Deno.readDirSync(`${data.path}/${document.id}`)) {
    assert(!file(name).includes("PRIVATE KEY"), name);
  }
});

Deno.test("lab run tls-vs-plain over HTTP/2 refuses to compare it with plain HTTP/1.1", async () => {
  using data = new TemporaryFolder();
  const document = await run("tls-vs-plain", "--alpn", "h2", ...SMALL, "--data", data.path);
  const [ratios] = document.claims;
  assertEquals(ratios!.verdict, "not measured");
  assertMatch(ratios!.reason!, /different protocols: .*tls\/fetch\/new h2/);
  // Deno.serve does not tell: null with the reason, and not 0.
  const handshakes = document.summary.filter(({ name }) => name === "handshakesFull");
  assertEquals(new Set(handshakes.map(({ value }) => value)), new Set([null]));
});

Deno.test("lab run tls-vs-plain trusts the authority of --ca, and without it refuses the target at once", async () => {
  using data = new TemporaryFolder();
  const { ca, certificate, key } = await issueCertificate({ names: ["127.0.0.1"] });
  await Deno.writeTextFile(`${data.path}/ca.pem`, ca);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: certificate, key, onListen: () => {} },
    () => new Response("mine"),
  );
  const target = ["--target", `https://127.0.0.1:${server.addr.port}/`];
  const document = await run(
    ...["tls-vs-plain", ...target, ...SMALL],
    ...["--ca", `${data.path}/ca.pem`, "--data", data.path],
  );
  const { code, err } = await lab("run", "tls-vs-plain", ...target, ...SMALL, "--data", data.path);
  await server.shutdown();
  assertEquals(valuesOf(document, "connections")["tls/raw/new"], 10);
  assertEquals(valuesOf(document, "elapsedRatio")["plain/raw"], null);
  assertEquals(code, 1);
  assertMatch(err, /Cannot measure https:.* as the TLS handshake fails \(certificate-refused\): /);
});
