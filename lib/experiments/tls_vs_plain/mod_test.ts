import { assert, assertEquals, assertThrows } from "@std/assert";
import { MisuseError, resolveParams } from "../../record/mod.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";

const VALUES: Values = resolveParams(params, {}).values;

Deno.test("the experiment asks for a port for each round and variant, and nothing for a target", () => {
  const servers = (values: Partial<Values>) => experiment.servers!({ ...VALUES, rounds: 4, ...values });
  assertEquals(servers({}), [
    { name: "origin", as: "plain", flags: ["--stack", "node", "--ports", "20"], descriptors: 52 },
    {
      name: "origin",
      as: "tls",
      flags: ["--stack", "node", "--ports", "25", "--tls", "--alpn", "http/1.1"],
      descriptors: 57,
    },
  ]);
  assertEquals(servers({ target: "https://example.test/" }), []);
  const net = (values: Partial<Values>) => experiment.needs!({ ...VALUES, ...values }).net;
  assertEquals(net({}), ["127.0.0.1"]);
  assertEquals(net({ target: "https://[::1]/", plainTarget: "http://[::1]:8080/" }), [
    "[::1]:443",
    "[::1]:8080",
  ]);
});

Deno.test("HTTP/2 is served by Deno.serve, and refused on node and for raw alone", () => {
  const h2: Values = { ...VALUES, alpn: "h2", rounds: 6 };
  const flags = experiment.servers!(h2).map(({ flags }) => (flags as string[]).join(" "));
  assertEquals(flags, ["--stack deno --ports 28", "--stack deno --ports 21 --tls --alpn h2"]);
  assertThrows(() => experiment.servers!({ ...h2, stack: "node" }), MisuseError, "crashes");
  assertThrows(() => experiment.needs!({ ...h2, client: "raw" }), MisuseError, "HTTP/1.1 only");
});

Deno.test("what is only for a target is refused without one", () => {
  for (const given of [{ plainTarget: "http://127.0.0.1/" }, { ca: "-----BEGIN CERTIFICATE-----" }]) {
    assertThrows(() => experiment.needs!({ ...VALUES, ...given }), MisuseError, "without target");
  }
});

Deno.test("TLS at one host is not compared with plain connections to another", () => {
  const target = "https://example.test/";
  const needs = (plainTarget: string) => experiment.needs!({ ...VALUES, target, plainTarget });
  assertEquals(needs("http://example.test:8080/other").net, ["example.test:443", "example.test:8080"]);
  assertThrows(() => needs("http://127.0.0.1/"), MisuseError, "different hosts: target example.test");
});

Deno.test("the budget grows with whatever makes a run longer", () => {
  const least = { requests: 10, rounds: 2, client: "fetch", bodyBytes: 0 } as const;
  const budget = (values: Partial<Values> = {}) => experiment.budgetMs({ ...VALUES, ...least, ...values });
  const longer: Partial<Values>[] = [
    ...[{ requests: 11 }, { rounds: 3 }, { bodyBytes: 10_000_000 }],
    ...[{ client: "both" as const }, { stack: "deno" as const }],
    ...[{ target: "https://example.test/", plainTarget: "http://example.test/" }],
  ];
  for (const values of longer) assert(budget(values) > budget(), JSON.stringify(values));
});

Deno.test("a default run against a target says how long it takes at most in minutes", () => {
  const target = { target: "https://example.test/", plainTarget: "http://example.test/" };
  assert(experiment.budgetMs({ ...VALUES, ...target }) < 3_600_000);
});
