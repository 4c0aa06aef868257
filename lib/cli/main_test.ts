import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serverNames } from "../harness/mod.ts";
import { isAlive, sendSignal } from "../system/mod.ts";
import { family, TemporaryFolder } from "../testing/mod.ts";
import { command, lab, NAPPING, outcome, ROOT, run } from "./_task.ts";

Deno.test("lab run takes a person's own file: its options, its --help, and what its parameters accept", async () => {
  using folder = new TemporaryFolder();
  const file = `${folder.path}/100%20 #1?.ts`;
  Deno.copyFileSync(NAPPING, file);
  const help = await lab("run", file, "--help");
  assertMatch(help.out, /^Usage: .*\n\nNapping \(napping\)\n/);
  assertMatch(help.out, /^ {2}--naps INTEGER +how many \(1 to 1000000; default 20, quick 5\)$/m);
  const misuses: [flag: string, value: string, message: string][] = [
    ["--nap", "3", "Cannot use option --nap as there is no such option: did you mean --naps?"],
    ["--naps", "0", "Cannot use --naps as it must be >= 1: current value is 0"],
    ["--manner", "rude", "Cannot use --manner as it must be heedful, "],
  ];
  for (const [flag, value, message] of misuses) {
    const { code, err } = await lab("run", file, flag, value, "--data", `${folder.path}/data`);
    assertEquals(code, 2);
    assertStringIncludes(err, message);
  }
  assertEquals(folder.names.length, 1);
  const { params, seed } = await run(file, "--naps", "3", "--no-serve", "--seed", "5", "--data", folder.path);
  assertEquals([params.naps, params.serve, seed], [3, false, 5]);
});

Deno.test("lab verify tells copies apart, and refuses a folder that there is not", async () => {
  using data = new TemporaryFolder();
  const { id } = await run("handshake-cost", "--requests", "2", "--rounds", "1", "--data", data.path);
  const path = `${data.path}/${id}`;
  const copy = `${data.path}/handshake-cost/copy`;
  Deno.mkdirSync(copy);
  for (const { name } of Deno.readDirSync(path)) Deno.copyFileSync(`${path}/${name}`, `${copy}/${name}`);
  Deno.removeSync(`${copy}/sockets.csv`);
  const { code, out } = await lab("verify", "--data", data.path);
  assertEquals(code, 1);
  assertMatch(out, new RegExp(`^${path}: ok$`, "m"));
  assertMatch(out, new RegExp(`^${copy}: differs\n  sockets\\.csv is missing$`, "m"));
  const typo = await lab("verify", "--data", `${data.path}/typo`);
  assertEquals([typo.code, typo.out], [2, ""]);
  assertMatch(typo.err, /^Cannot verify the runs in .*typo as there is no such folder$/m);
});

Deno.test("a run of a newer connlab cannot be read, and what helps is said", async () => {
  using data = new TemporaryFolder();
  const run = `${data.path}/handshake-cost/20261201T101500Z-k3f9`;
  Deno.mkdirSync(run, { recursive: true });
  Deno.writeTextFileSync(`${run}/datapackage.json`, '{ "connlab": { "formatVersion": 999 } }');
  const problem =
    /^Cannot read run .*: its format is 999, and this connlab reads up to \d+\nUpdate connlab\n$/;
  const [shown, verified] = [await lab("show", run), await lab("verify", "--data", data.path)];
  assertEquals([shown.code, verified.code], [1, 1]);
  assertMatch(shown.err, problem);
  assertMatch(verified.out, problem);
});

Deno.test("nothing of a run reaches a terminal as a command to it", async () => {
  using folder = new TemporaryFolder();
  const evil = "a\x1b[2J\u009b1m\u202eb\r\nid is complete";
  const shown = String.raw`a\u001b[2J\u009b1m\u202eb\u000d\u000aid is complete`;
  const { id, path } = await run(NAPPING, "--naps", "3", "--label", evil, "--data", folder.path);
  const where = ["--data", folder.path];
  const json = (await lab("show", id, ...where, "--json")).out;
  assertEquals(JSON.parse(json).id, id);
  const manifest = `${path}/datapackage.json`;
  Deno.writeTextFileSync(
    manifest,
    Deno.readTextFileSync(manifest).replace('"reason": null', `"reason": "Not\\u001b[2J"`),
  );
  const texts = [await lab("runs", ...where), await lab("show", id, ...where), await lab("verify", ...where)]
    .map(({ out, err }) => out + err);
  assertStringIncludes(texts[0]!, ` ${shown} `);
  assertStringIncludes(texts[1]!, ` (${shown})`);
  for (const text of [json, ...texts]) assertEquals(text.match(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u), null);
});

Deno.test("a run is found by its path from where the person stands", async () => {
  using folder = new TemporaryFolder();
  const { id } = await run(NAPPING, "--naps", "3", "--data", `${folder.path}/data`);
  const [experiment, name] = id.split("/") as [string, string];
  // `deno task` tells the folder that it was called from, but not when it was itself called by `deno task test`.
  const task = ["task", "--quiet", "--config", new URL("deno.json", ROOT).pathname, "lab"];
  const from = async (cwd: string, ...args: string[]) =>
    await outcome(
      new Deno.Command("deno", { args: [...task, ...args], cwd, env: { INIT_CWD: cwd }, stdin: "null" })
        .output(),
    );
  const stands = `${folder.path}/data/${experiment}`;
  assertStringIncludes((await from(stands, "show", `./${name}`)).out, `${id} is complete`);
  assertEquals((await from(folder.path, "verify", `data/${id}/datapackage.json`)).out, `data/${id}: ok\n`);
});

Deno.test("a warning is told once: in the summary, and before one JSON document", async () => {
  using data = new TemporaryFolder();
  const small = ["run", "handshake-cost", "--requests", "2", "--rounds", "1", "--data", data.path];
  const [text, json] = [await lab(...small), await lab(...small, "--json")];
  const { warnings } = JSON.parse(json.out);
  const { message } = warnings.find(({ code }: { code: string }) => code === "loopback");
  assertEquals((text.out + text.err).split(message).length, 2);
  assertStringIncludes(json.err, `Warning: ${message}`);
});

Deno.test("lab runs, show and list say what there is", async () => {
  using data = new TemporaryFolder();
  const { id } = await run(NAPPING, "--naps", "3", "--label", "three", "--data", data.path);
  assertMatch((await lab("runs", "--data", data.path)).out, new RegExp(`${id} +complete +three`));
  assertEquals((await lab("runs", "handshake-cost", "--data", data.path)).out, "");
  assertStringIncludes((await lab("show", "latest", "--data", data.path)).out, `${id} is complete (three)`);
  assertEquals(JSON.parse((await lab("show", id, "--data", data.path, "--json")).out).id, id);
  assertMatch((await lab("list")).out, /^handshake-cost\n {2}What does a new connection/);
});

Deno.test("lab run --dry-run says what would be done", async () => {
  const { code, out } = await lab("run", "handshake-cost", "--dry-run", "--quick", "--json");
  assertEquals(code, 0);
  const { params, servers } = JSON.parse(out);
  assertEquals(params.requests, 100);
  assertEquals(servers, ["origin --stack node --ports 24"]);
});

Deno.test("every verb explains itself", async () => {
  const { code, out } = await lab("--help");
  assertEquals(code, 0);
  const verbs = [...out.matchAll(/^ {2}(\w+)/gm)].map((match) => match[1]!);
  assertEquals(verbs, [
    ...["list", "run", "probe", "load", "runs", "show", "verify", "notebook", "serve", "doctor"],
  ]);
  for (const verb of verbs) {
    const help = await lab(verb, "--help");
    assertEquals(help.code, 0, verb);
    assertMatch(help.out, new RegExp(`^Usage: deno task lab ${verb}`));
  }
  const described = (await lab("run", "handshake-cost", "--help")).out;
  for (
    const name of [
      "requests",
      "rounds",
      "client",
      "stack",
      "body-bytes",
      "watch-time-wait",
      "target",
      "data",
      "seed",
    ]
  ) {
    assertStringIncludes(described, `--${name}`);
  }
});

Deno.test("lab doctor tells the machine, as a run would record it", async () => {
  const { code, out } = await lab("doctor", "--json");
  assertEquals(code, 0);
  const { environment, socketTable, namespaces, budgets } = JSON.parse(out);
  assertEquals(environment.runtime.deno, Deno.version.deno);
  assertEquals(socketTable.available, Deno.build.os === "linux");
  assertEquals(namespaces.reason === null, namespaces.available);
  const text = (await lab("doctor")).out;
  assertMatch(text, /^A run can(?:not)? have a network of its own/m);
  if (Deno.build.os !== "linux") return;
  const [low, high] = environment.network.ephemeralPorts;
  assertMatch(text, new RegExp(`network\\.ephemeralPorts +${low} to ${high} +[\\d,]+ connections at once`));
  assertEquals(budgets.elsewhere.ports <= high - low + 1, true);
  assertMatch(text, /^ +To one address and port: [\d,]+ at once; [\d,]+ new per second over a network, /m);
});

/** What a server takes that does not start without. */
const SERVER_FLAGS: Readonly<Record<string, readonly string[]>> = {
  faulty: ["--behaviour", "keeps"],
  middlebox: ["--upstream", "127.0.0.1:9"],
  proxy: ["--backend", "127.0.0.1:9"],
};

for (const name of serverNames()) {
  if (name === "command" || name === "holder" && Deno.build.os !== "linux") continue;
  Deno.test(`lab serve ${name} has the rights that it takes`, async () => {
    const child = command(["serve", name, ...SERVER_FLAGS[name] ?? []]).spawn();
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value = "" } = await lines.read();
    sendSignal(child.pid, "SIGINT");
    await lines.cancel();
    const said = await new Response(child.stderr).text();
    assertEquals((await child.status).code, 130, said);
    const { hostname, port } = JSON.parse(value);
    assertStringIncludes(
      said,
      port === 0 ? `Listening on ${hostname};` : `Listening on http://${hostname}:${port}/;`,
    );
  });
}

for (
  const flags of [
    ["--stack", "node"],
    ["--tls"],
    ["--server-workers", "2"],
    ...Deno.build.os === "linux" ? [["--hostname", "127.0.0.2"], ["--fds", "100"]] : [],
  ]
) {
  Deno.test(`lab serve origin ${flags.join(" ")} listens where it is told, and ends at Ctrl-C`, async () => {
    const child = command(["serve", "origin", ...flags]).spawn();
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { hostname, port, ca } = JSON.parse((await lines.read()).value!);
    assertEquals(hostname, flags.includes("--hostname") ? flags[1] : "127.0.0.1");
    const scheme = flags.includes("--tls") ? "https" : "http";
    using client = Deno.createHttpClient({
      caCerts: [ca].filter((certificate) => certificate !== undefined),
    });
    const response = await fetch(`${scheme}://${hostname}:${port}/static?bytes=5`, { client });
    assertEquals((await response.text()).length, 5);
    const pids = family(child.pid);
    sendSignal(child.pid, "SIGINT");
    await lines.cancel();
    await child.stderr.cancel();
    assertEquals((await child.status).code, 130);
    assertEquals(pids.filter(isAlive), []);
  });
}
