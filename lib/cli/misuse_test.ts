import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { lab, NAPPING } from "./_task.ts";

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
  ["run tls-vs-plain --ca nowhere.pem", "Cannot use --ca as there is no file nowhere.pem"],
  ["run handshake-coast", "did you mean handshake-cost?"],
  ["run ./nowhere.ts", "Cannot load experiment file nowhere.ts"],
  ["run", "Cannot run without an experiment"],
  ["rum", "did you mean run?"],
  ["show nothing", "Cannot find run nothing"],
  ["serve orogin", "did you mean origin?"],
  ["serve origin --ports x", "ports"],
  ["serve origin --port -1", "--port must be >= 0: current value is -1"],
  ["serve faulty --responses -1", "--responses must be"],
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
  // There Deno names every right as the remedy, which nobody should give.
  const below = await lab("run", NAPPING, "--data", "/proc/nowhere");
  assertEquals(below.code, 3);
  assertMatch(below.err, /Cannot write run to \/proc\/nowhere: .*\n.*--data/);
  assertEquals(below.err.includes("--allow"), false);
});

Deno.test("a folder with a comma is what this machine cannot: exit status 3, and nothing is made", async () => {
  using folder = new TemporaryFolder();
  const { code, err } = await lab("run", NAPPING, "--data", `${folder.path}/data,${folder.path}/other`);
  assertEquals(code, 3);
  assertMatch(err, /^Cannot give a process the right to .* comma\n.*without a comma/);
  assertEquals(folder.names, []);
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
