import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ServerProcess, TemporaryFolder } from "../testing/mod.ts";
import { lab } from "./_task.ts";
import type { RunDocument } from "./run_text.ts";

const SERVERS = new URL("../../servers/", import.meta.url);
const ORIGIN = new URL("origin.ts", SERVERS);

/** How late a close may be seen, in milliseconds: the second that node adds, and two on a busy machine. */
const LATE_MS = 3000;

Deno.test("lab probe idle finds the limit of the lab's node server at three settings", async () => {
  using data = new TemporaryFolder();
  const probed = await Promise.all([1000, 2000, 3000].map(async (configuredMs) => {
    await using server = await ServerProcess.start(ORIGIN, {
      flags: ["--stack", "node", "--idle-timeout", `${configuredMs}ms`],
    });
    const target = `http://127.0.0.1:${server.port}/static`;
    const args = ["--target", target, "--budget", "20s", "--data", data.path, "--json"];
    const { code, out, err } = await lab("probe", "idle", ...args);
    assertEquals(code, 0, err);
    return { configuredMs, document: JSON.parse(out) as RunDocument };
  }));
  for (const { configuredMs, document } of probed) {
    const pick = (name: string) =>
      document.summary.find((metric) => metric.name === name && metric.variant === null)!;
    const { value, low, high } = pick("idleLimitMs");
    assert(value! >= configuredMs && value! < configuredMs + LATE_MS, `${configuredMs}: ${value}`);
    assert(low! <= value! && value! <= high!);
    assertEquals(pick("advertisedIdleMs").value, configuredMs);
    assert(pick("safeClientIdleMs").value! < configuredMs);
    const closed = document.summary.filter(({ name }) => name === "closedHow");
    assertEquals(Object.fromEntries(closed.map(({ variant, value }) => [variant, value])), {
      ...{ fin: 8, reset: 0, answer: 0, none: 0 },
    });
  }
});

Deno.test("lab probe idle says what it found, what is safe, and which run it was", async () => {
  using data = new TemporaryFolder();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("mine", { headers: { connection: "close" } }),
  );
  const target = `http://127.0.0.1:${server.addr.port}/`;
  const { code, out } = await lab("probe", "idle", "--target", target, "--data", data.path);
  assertEquals(code, 0);
  assertMatch(
    out,
    new RegExp(`^Idle limit of ${target}\n {2}observed {6}every answer says that the server closes`),
  );
  assertEquals([...out.matchAll(/^ {2}(\w+(?: \w+)?) {2}/gm)].map(([, name]) => name), [
    ...["observed", "advertised", "verdict", "safe setting", "took"],
  ]);
  const [, id] = /(idle-limit\/\S+)\n$/.exec(out)!;
  assertEquals((await lab("verify", "--data", data.path)).out, `${data.path}/${id}: ok\n`);
});

for (const [forget, met] of [["reset", "was reset"], ["silent", "timed out"]] as const) {
  Deno.test(`lab probe idle tells a middlebox that forgets: the next request ${met}`, async () => {
    using data = new TemporaryFolder();
    await using origin = await ServerProcess.start(ORIGIN, { flags: ["--stack", "deno"] });
    await using middlebox = await ServerProcess.start(new URL("middlebox.ts", SERVERS), {
      flags: ["--upstream", `127.0.0.1:${origin.port}`, "--idle", "300ms", "--forget", forget],
    });
    const target = `http://127.0.0.1:${middlebox.port}/static`;
    const args = ["--target", target, "--budget", "8s", "--connections", "4", "--data", data.path];
    const { code, out, err } = await lab("probe", "idle", ...args);
    assertEquals(code, 0, err);
    assertMatch(out, new RegExp(`verdict +something forgets .* next request, which ${met}\n`));
  });
}

Deno.test("lab probe idle says on standard output too why it has no verdict", async () => {
  using data = new TemporaryFolder();
  await using server = await ServerProcess.start(new URL("faulty.ts", SERVERS), {
    flags: ["--behaviour", "garbage"],
  });
  const target = `http://127.0.0.1:${server.port}/`;
  const { code, out } = await lab("probe", "idle", "--target", target, "--budget", "2s", "--data", data.path);
  assertEquals(code, 1);
  assertMatch(out, /^No verdict: the probe was not completed \(idle-limit\/[^)]+\): .*Cannot probe http/);
});

const MISUSES: readonly [args: readonly string[], message: string][] = [
  [[], "Cannot probe without being told what: write lab probe idle --target URL"],
  [["idel"], "Cannot probe idel: did you mean idle?"],
  [["idle"], "Cannot probe without a target: write lab probe idle --target URL"],
  [["idle", "--quick", "--dry-run"], "Cannot probe without a target"],
  [["idle", "--target", "localhost:80"], "must be a URL that begins with http:// or https://"],
  [["idle", "--target", "http://localhost/", "--budget", "2,5s"], "with a point for decimals (2.5s"],
  [["idle", "--target", "http://example.test/"], "was not named with --allow-remote example.test"],
  [
    ["idle", "--target", "http://example.test/", "--allow-remote", "exampel.test"],
    "--allow-remote example.test (allowRemote in a cell): exampel.test is another host",
  ],
  [["idle", "--target", "http://localhost/", "--host-header", "a b"], 'Cannot send Host field "a b"'],
  [
    ["idle", "http://localhost/"],
    "Cannot run with http://localhost/: a parameter is written as --name value",
  ],
];

for (const [args, message] of MISUSES) {
  Deno.test(`lab probe ${args.join(" ")} is misuse: a clear message, exit status 2, nothing started`, async () => {
    using data = new TemporaryFolder();
    const { code, out, err } = await lab("probe", ...args, ...args.length > 1 ? ["--data", data.path] : []);
    assertStringIncludes(err, message);
    assertEquals({ code, out, names: data.names }, { code: 2, out: "", names: [] });
  });
}
