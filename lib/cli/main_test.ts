import { assert, assertEquals, assertGreaterOrEqual, assertMatch, assertStringIncludes } from "@std/assert";
import { isAlive, sendSignal } from "../system/mod.ts";
import { family, TemporaryFolder } from "../testing/mod.ts";
import type { RunDocument } from "./run_text.ts";

const ROOT = new URL("../..", import.meta.url);
const NAPPING = new URL("../harness/fixtures/napping.ts", import.meta.url).pathname;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function command(args: readonly string[]): Deno.Command {
  return new Deno.Command("deno", {
    args: ["task", "--quiet", "lab", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

async function outcome(output: Promise<Deno.CommandOutput>): Promise<Outcome> {
  const { code, stdout, stderr } = await output;
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  return { code, out, err };
}

/** What a person gets who types `deno task lab …`. */
function lab(...args: string[]): Promise<Outcome> {
  return outcome(command(args).output());
}

async function run(...args: string[]): Promise<RunDocument> {
  const { code, out, err } = await lab("run", ...args, "--json");
  assertEquals(code, 0, err);
  return JSON.parse(out);
}

function metrics({ summary }: RunDocument, name: string): Record<string, number | null> {
  return Object.fromEntries(
    summary.filter((metric) => metric.name === name).map(({ variant, value }) => [variant, value]),
  );
}

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
  assertEquals(metrics(document, "connections"), counts);
  assertEquals(metrics(document, "timeWaitAddedClient"), counts);
  assertEquals(Object.values(metrics(document, "timeWaitAddedServer")), [0, 0, 0, 0]);
  assertEquals(new Set(Object.values(metrics(document, "requests"))), new Set([200]));
  assertEquals(Object.keys(metrics(document, "elapsedRatio")), ["fetch", "raw"]);
  for (const { value, low, high } of document.summary.filter(({ name }) => name === "elapsedRatio")) {
    assert(low! <= value! && value! <= high!);
  }
  // Whether a kept connection is faster is a matter of time; that the verdict follows from the ratios is not.
  const faster = document.summary.every(({ name, low }) => name !== "elapsedRatio" || low! > 1);
  assertEquals(document.claims.map(({ id, verdict }) => `${id} ${verdict}`), [
    "A1 holds",
    faster ? "A2 holds" : "A2 differs",
  ]);
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
  assertEquals(metrics(document, "connections"), {
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
  assertEquals(metrics(document, "connections"), { "raw/new": 100, "raw/shared": 1 });
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
  assertMatch(err, /Cannot measure http:.* as it takes no connection: .*refused/i);
  // What the lab itself says needs no list of the places in its code that said it.
  assertEquals(err.match(/^ +at /m), null);
});

const MISUSES: readonly [args: string, message: string][] = [
  ["run handshake-cost --requests 0", "Cannot use --requests as it must be >= 1: current value is 0"],
  ["run handshake-cost --requests 2,5", "with a point for decimals (2.5): current value is 2,5"],
  ["run handshake-cost --request 5", "did you mean --requests?"],
  [
    "run handshake-cost --requests 1e9",
    "Cannot use --requests as it must be <= 100000: current value is 1e9",
  ],
  ["run handshake-cost --requests", "Cannot use --requests without a value"],
  ["run handshake-cost --requests=", "Cannot use --requests without a value: write --requests INTEGER"],
  ["run handshake-cost --requests -5", "Cannot use --requests as it must be >= 1: current value is -5"],
  ["run handshake-cost --seed -1", "Cannot use --seed as it must be a whole number"],
  ["run handshake-cost --constructor", "Cannot use option --constructor as there is no such option"],
  ["run handshake-cost -5", "Cannot use option -5 as there is no such option"],
  ["runs --toString", "Cannot use option --toString as there is no such option"],
  ["serve origin --valueOf", "there is no flag --valueOf"],
  [
    "run handshake-cost --watch-time-wait=maybe",
    "Cannot use --watch-time-wait as it must be true or false: current value is maybe",
  ],
  ["run handshake-cost --json=", "Cannot use --json as it must be true or false: current value is empty"],
  ["run handshake-cost --no-watch-time-wait=true", "Cannot use option --no-watch-time-wait as there is no"],
  ["run handshake-cost --target http://*/", "Cannot give a process the right to connect to *:80"],
  ["runs handshake-coast", "did you mean handshake-cost?"],
  ["runs a b", "name one experiment"],
  ["run handshake-cost --requests 1 --requests 2", "Cannot use --requests twice"],
  ["run handshake-cost --seed x", "Cannot use --seed as it must be a whole number"],
  ["run handshake-cost --target 127.0.0.1:80", "must be a URL that begins with http://"],
  ["run handshake-cost 500", "Cannot run with 500"],
  ["run handshake-coast", "did you mean handshake-cost?"],
  ["run ./nowhere.ts", "Cannot load experiment file nowhere.ts"],
  ["run", "Cannot run without an experiment"],
  ["rum", "did you mean run?"],
  ["show nothing", "Cannot find run nothing"],
  ["serve orogin", "did you mean origin?"],
  ["serve origin --ports x", "ports"],
  ["list all", "takes options only"],
];

for (const [args, message] of MISUSES) {
  Deno.test(`lab ${args} is misuse: a clear message, exit status 2, nothing started`, async () => {
    using data = new TemporaryFolder();
    const where = /^(run .|show)/.test(args) ? ["--data", data.path] : [];
    const { code, out, err } = await lab(...args.split(" "), ...where);
    assertStringIncludes(err, message);
    assertEquals({ code, out, names: data.names }, { code: 2, out: "", names: [] });
  });
}

Deno.test("a folder that cannot be written is what this machine cannot: exit status 3, with a remedy", async () => {
  using folder = new TemporaryFolder();
  // Root may write anywhere: a file as the parent stops root too.
  Deno.writeTextFileSync(`${folder.path}/file`, "");
  const { code, err } = await lab("run", NAPPING, "--data", `${folder.path}/file/data`);
  assertEquals(code, 3);
  assertMatch(err, /Cannot write run to .*\n.*--data/);
});

Deno.test("a folder with a comma is what this machine cannot: exit status 3, and nothing is made", async () => {
  using folder = new TemporaryFolder();
  const { code, err } = await lab("run", NAPPING, "--data", `${folder.path}/data,${folder.path}/other`);
  assertEquals(code, 3);
  assertMatch(err, /^Cannot give a process the right to .* comma\n.*without a comma/);
  assertEquals(folder.names, []);
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

for (const times of [1, 2]) {
  Deno.test(`Ctrl-C, ${times === 1 ? "once" : "twice in a row"}, keeps the run and ends every process`, async () => {
    using data = new TemporaryFolder();
    const child = command(["run", NAPPING, "--naps", "1000000", "--data", data.path, "--json"]).spawn();
    const [shown, rest] = child.stderr.tee();
    for await (const text of shown.pipeThrough(new TextDecoderStream())) if (text.includes("%")) break;
    const pids = family(child.pid);
    assertGreaterOrEqual(pids.length, 3);
    for (let time = 0; time < times; time++) sendSignal(child.pid, "SIGINT");
    const [out, err, { code }] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(rest).text(),
      child.status,
    ]);
    assertEquals(code, 130, err);
    const document: RunDocument = JSON.parse(out);
    assertEquals({ status: document.status, reason: document.reason }, {
      status: "incomplete",
      reason: "Interrupted",
    });
    assertEquals(pids.filter(isAlive), []);
    assertMatch((await lab("verify", "--data", data.path)).out, /: unverifiable\n/);
  });
}

/** Runs a script where it may mount, which not every machine lets a person do. */
function inMountNamespace(script: string): Promise<Outcome> {
  const args = ["-rm", "sh", "-c", script];
  return outcome(new Deno.Command("unshare", { args, cwd: ROOT, stdin: "null" }).output());
}

async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  using folder = new TemporaryFolder();
  const mounted = inMountNamespace(`mount -t tmpfs tmpfs ${folder.path}`);
  return (await mounted.catch(() => null))?.code === 0;
}

Deno.test({
  name: "a disk that becomes full fails the run, keeps its rows and says so",
  ignore: !(await canMount()),
  async fn() {
    using folder = new TemporaryFolder();
    const data = `${folder.path}/data`;
    Deno.mkdirSync(data);
    // In a mount namespace of its own; what is on the disk is copied out before it goes.
    const script = `mount -t tmpfs -o size=32k tmpfs ${data}
      deno task --quiet lab run ${NAPPING} --naps 1000000 --data ${data}; echo "status $?"
      deno task --quiet lab verify --data ${data}; deno task --quiet lab show latest --data ${data}
      df ${data} | tail -1; ls ${data}/napping/*`;
    const { out, err } = await inMountNamespace(script);
    assertStringIncludes(out, "status 1", err);
    assertMatch(err, /The run is (failed|incomplete): .*No space left/);
    assertMatch(out, /rows: naps [1-9]\d+/);
    assertMatch(out, /napping\/\S+: unverifiable/);
    assert(!out.includes(".tmp"), out);
  },
});

Deno.test("a person's file that ends the process which loads it is misuse, whatever its status", async () => {
  using folder = new TemporaryFolder();
  const file = folder.write("ends.ts", "Deno.exit(0);");
  const { code, err } = await lab("run", file, "--data", folder.path);
  assertEquals(code, 2);
  assertMatch(
    err,
    /^Cannot load experiment file .*ends\.ts as the process that loads it ended with status 0\n$/,
  );
});

/** Runs a shell script. `unshare` without options is a program that may be started and starts another. */
function shell(script: string): Promise<Outcome> {
  const args = ["sh", "-c", script];
  return outcome(
    new Deno.Command("unshare", { args, cwd: ROOT, env: { NO_COLOR: "1" }, stdin: "null" }).output(),
  );
}

Deno.test({
  name: "a machine on which no program is called deno cannot run anything: exit status 3",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { code, err } = await shell(
      'deno=$(command -v deno) PATH=/nowhere; exec "$deno" task --quiet lab doctor',
    );
    assertEquals(code, 3, err);
    assertMatch(err, /no program called deno is found\nAdd the folder of Deno to PATH\n$/);
  },
});

Deno.test({
  name: "a hangup does not end a run without a terminal, as under nohup",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using data = new TemporaryFolder();
    const child = command(["run", NAPPING, "--naps", "300", "--data", data.path, "--json"]).spawn();
    const [shown, rest] = child.stderr.tee();
    for await (const text of shown.pipeThrough(new TextDecoderStream())) if (text.includes("%")) break;
    await shell(`kill -HUP ${child.pid} ${family(child.pid)[0]}`);
    const [out, err, { code }] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(rest).text(),
      child.status,
    ]);
    assertEquals(code, 0, err);
    assertEquals(JSON.parse(out).status, "complete");
  },
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

for (const redirected of ["2>/dev/full", "2>&-"]) {
  Deno.test({
    name: `a run goes on when what it says cannot be written (${redirected})`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      using data = new TemporaryFolder();
      const options = `--naps 3 --json --data ${data.path}`;
      const { code, out } = await shell(`deno task --quiet lab run ${NAPPING} ${options} ${redirected}`);
      assertEquals([code, JSON.parse(out).status], [0, "complete"]);
    },
  });
}

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
  assertEquals(verbs, ["list", "run", "runs", "show", "verify", "notebook", "serve", "doctor"]);
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
  const { environment, socketTable } = JSON.parse(out);
  assertEquals(environment.runtime.deno, Deno.version.deno);
  assertEquals(socketTable.available, Deno.build.os === "linux");
  assertMatch((await lab("doctor")).out, /network\.ephemeralPorts +\d+ to \d+/);
});

for (
  const flags of [["--stack", "node"], ...Deno.build.os === "linux" ? [["--hostname", "127.0.0.2"]] : []]
) {
  Deno.test(`lab serve origin ${flags.join(" ")} listens where it is told, and ends at Ctrl-C`, async () => {
    const child = command(["serve", "origin", ...flags]).spawn();
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { hostname, port } = JSON.parse((await lines.read()).value!);
    assertEquals(hostname, flags.includes("--hostname") ? flags[1] : "127.0.0.1");
    assertEquals((await (await fetch(`http://${hostname}:${port}/static?bytes=5`)).text()).length, 5);
    const pids = family(child.pid);
    sendSignal(child.pid, "SIGINT");
    await lines.cancel();
    await child.stderr.cancel();
    assertEquals((await child.status).code, 130);
    assertEquals(pids.filter(isAlive), []);
  });
}
