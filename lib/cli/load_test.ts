import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { lab } from "./_task.ts";
import type { RunDocument } from "./run_text.ts";

/** A server of a person's own, ended with its block. */
function serve(status = 200): AsyncDisposable & { readonly url: string } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("mine", { status }),
  );
  return { url: `http://127.0.0.1:${server.addr.port}/`, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("lab load says what was sent and answered, how long it took, and which run it was", async () => {
  using data = new TemporaryFolder();
  await using server = serve(404);
  const args = [server.url, "--requests", "200", "--rate", "1000", "--connections", "4", "--data", data.path];
  const { code, out, err } = await lab("load", ...args);
  assertEquals(code, 0, err);
  assertStringIncludes(
    out,
    `Load on ${server.url}: epoll, up to 4 connections, open loop, 1000 per second\n`,
  );
  const [, counts] = /\nRequests\n.*\n(.*)\n/.exec(out)!;
  assertEquals(counts!.trim().split(/ {2,}/).slice(0, 6), ["200", "200", "200", "0", "0", "0"]);
  assertMatch(out, /\nTimes in ms\n +median +p90 +p99 +p99\.9 +longest\n {2}service, .*\n {2}response, /);
  const [, id] = /\n(load\/\S+), in /.exec(out)!;
  assertEquals((await lab("verify", "--data", data.path)).out, `${data.path}/${id}: ok\n`);
});

Deno.test("lab load splits its connections over processes, whose counts add up", async () => {
  using data = new TemporaryFolder();
  await using server = serve();
  const args = [server.url, "--shards", "2", "--requests", "101", "--connections", "4", "--data", data.path];
  const { code, out, err } = await lab("load", ...args, "--json");
  assertEquals(code, 0, err);
  const { summary, status }: RunDocument = JSON.parse(out);
  const values = ["sent", "answered", "failed", "unfinished", "fresh", "reused"].map((name) =>
    summary.find((metric) => metric.name === name)!.value
  );
  assertEquals({ status, values }, { status: "complete", values: [101, 101, 0, 0, 4, 97] });
});

Deno.test("lab load says on standard output too why there are no numbers", async () => {
  using data = new TemporaryFolder();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  const url = `http://127.0.0.1:${listener.addr.port}/`;
  const { code, out } = await lab("load", url, "--data", data.path);
  assertEquals(code, 1);
  assertStringIncludes(out, "The load was not completed: ");
  assertStringIncludes(out, "takes no connection (refused)");
});

Deno.test("lab load explains what it takes: the URL is no option", async () => {
  const { code, out } = await lab("load", "--help");
  assertEquals(code, 0);
  assertMatch(out, /^Usage: deno task lab load URL /);
  assertEquals([out.includes("--rate "), out.includes("--target ")], [true, false]);
});

Deno.test("lab load says why a number is missing", async () => {
  using data = new TemporaryFolder();
  await using server = serve();
  const args = [server.url, "--client", "fetch", "--requests", "5", "--data", data.path];
  const { code, out, err } = await lab("load", ...args);
  assertEquals(code, 0, err);
  assertMatch(out, /\n +fresh, reused: fetch does not tell /);
});

const LOCAL = "http://localhost/";

const MISUSES: readonly [args: readonly string[], message: string, code?: number][] = [
  [[], "Cannot load without a target: write lab load URL, or lab run load for the lab's own server"],
  [["127.0.0.1:8080"], "Cannot load 127.0.0.1:8080: write http://127.0.0.1:8080/"],
  [["localhost:8080/a?b"], "Cannot load localhost:8080/a?b: write http://localhost:8080/a?b"],
  [["ftp://localhost/"], "Cannot load ftp://localhost/: write http://HOST:PORT/PATH"],
  [["https://localhost/"], "Cannot load https://localhost/ as load speaks no TLS"],
  [["--server-command", "nginx"], "Cannot load a --server-command, which is of lab run server-limits"],
  [[LOCAL, "--server-command=nginx"], "Cannot load a --server-command, which is of lab run server-limits"],
  [[LOCAL, "--rate", "0"], "Cannot use --rate as it must be >= 0.001, or none: current value is 0"],
  [[LOCAL, "--target", LOCAL], "Cannot load two targets"],
  [["http://example.test/"], "Cannot load example.test as it is not loopback and was not named with"],
  [[LOCAL, "--connections", "999999"], "file descriptors at once and a process may have", 3],
];

for (const [args, message, status = 2] of MISUSES) {
  Deno.test(`lab load ${args.join(" ")} is refused, exit status ${status}, nothing started`, async () => {
    using data = new TemporaryFolder();
    const { code, out, err } = await lab("load", ...args, ...args.length > 0 ? ["--data", data.path] : []);
    assertStringIncludes(err, message);
    assertEquals({ code, out, names: data.names }, { code: status, out: "", names: [] });
  });
}
