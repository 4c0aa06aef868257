import { assert, assertEquals, assertMatch } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { lab, run, valuesOf } from "./_task.ts";

Deno.test("lab run handshake-cost counts connections and TIME_WAIT for each client, and its claims hold", async () => {
  using data = new TemporaryFolder();
  const document = await run(
    "handshake-cost",
    "--requests",
    "200",
    "--rounds",
    "5",
    "--data",
    data.path,
    "--seed",
    "1",
  );
  const counts = { "fetch/new": 200, "fetch/shared": 1, "raw/new": 200, "raw/shared": 1 };
  assertEquals(valuesOf(document, "connections"), counts);
  assertEquals(valuesOf(document, "timeWaitAddedClient"), counts);
  assertEquals(Object.values(valuesOf(document, "timeWaitAddedServer")), [0, 0, 0, 0]);
  assertEquals(new Set(Object.values(valuesOf(document, "requests"))), new Set([200]));
  assertEquals(Object.keys(valuesOf(document, "elapsedRatio")), ["fetch", "raw"]);
  for (const { value, low, high } of document.summary.filter(({ name }) => name === "elapsedRatio")) {
    assert(low! <= value! && value! <= high!);
  }
  // Whether a kept connection is faster is a matter of time; that the verdict follows from the ratios is not.
  const ratios = document.summary.filter(({ name }) => name === "elapsedRatio");
  const verdict = ratios.every(({ low }) => low! > 1)
    ? "holds"
    : ratios.find(({ low }) => low! <= 1)!.high! <= 1
    ? "differs"
    : "not measured";
  assertEquals(document.claims.map(({ id, verdict }) => `${id} ${verdict}`), ["A1 holds", `A2 ${verdict}`]);
  assertEquals([document.status, document.params.requests, document.seed], ["complete", 200, 1]);
  assertEquals((await lab("verify", "--data", data.path)).out, `${data.path}/${document.id}: ok\n`);
});

Deno.test("lab run handshake-cost counts the same on Deno.serve, by client port", async () => {
  using data = new TemporaryFolder();
  const document = await run(
    "handshake-cost",
    "--stack",
    "deno",
    "--requests",
    "30",
    "--rounds",
    "2",
    "--data",
    data.path,
  );
  assertEquals(valuesOf(document, "connections"), {
    "fetch/new": 30,
    "fetch/shared": 1,
    "raw/new": 30,
    "raw/shared": 1,
  });
  // Two rounds make no interval, and no interval makes no verdict.
  assertEquals(document.claims.map(({ id, verdict }) => `${id} ${verdict}`), ["A1 holds", "A2 not measured"]);
});

Deno.test("lab run handshake-cost measures a server of one's own, and counts at the client", async () => {
  using data = new TemporaryFolder();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("mine"),
  );
  const target = `http://127.0.0.1:${server.addr.port}/some/path`;
  const document = await run(
    "handshake-cost",
    "--target",
    target,
    "--quick",
    "--client",
    "raw",
    "--data",
    data.path,
  );
  await server.shutdown();
  assertEquals(valuesOf(document, "connections"), { "raw/new": 100, "raw/shared": 1 });
  assertEquals(document.params.target, target);
});

Deno.test("lab run handshake-cost fails at once when a target does not answer, and says why", async () => {
  using data = new TemporaryFolder();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const { code, err } = await lab(
    "run",
    "handshake-cost",
    "--target",
    `http://127.0.0.1:${port}/`,
    "--data",
    data.path,
  );
  assertEquals(code, 1);
  assertMatch(err, /Cannot measure http:.* as it takes no connection \(refused\): /);
  // What the lab itself says needs no list of the places in its code that said it.
  assertEquals(err.match(/^ +at /m), null);
});
