import { assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import { readRun, verifyRun } from "../store/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { type EndedRun, type StartOptions, startRun } from "./start.ts";

function run(
  fixture: string,
  dataDirectory: string,
  params: Readonly<Record<string, unknown>>,
  options: StartOptions = {},
): Promise<EndedRun> {
  const experiment = import.meta.resolve(`./fixtures/${fixture}.ts`);
  const request = requestFor(experiment, { dataDirectory, params });
  // What the experiment says of its errors is no news here.
  return startRun(request, { onStderr: () => {}, ...options });
}

const TROUBLES: readonly [params: Record<string, string>, reason: RegExp][] = [
  [{ summary: "rejected" }, /^The pen broke$/],
  [{ summary: "undefined" }, /^Cannot use the summary as it must be made by metric\(\): .*array/],
  [{ summary: "bare" }, /^Cannot use the summary as it\.0\.variant must be made by metric\(\): .*string/],
  [{ summary: "of-no-unit" }, /^Cannot use the summary as it\.0\.unit must be made by metric\(\): .*"ms"/],
  [{ trouble: "warning" }, /^Cannot warn as the warning's code must be text: current value is undefined$/],
  [{ trouble: "rejection" }, /^Nobody waited$/],
  [{ trouble: "timer" }, /^The alarm rang$/],
  [{ trouble: "exit" }, /^The measuring process ended with status 7$/],
  [
    { trouble: "long-row" },
    /^Cannot write row as it must not be longer than 16777216 bytes: it has 17825793$/,
  ],
];

for (const [params, reason] of TROUBLES) {
  Deno.test(`a run whose experiment errs by ${JSON.stringify(params)} has failed and can be read`, async () => {
    using data = new TemporaryFolder();
    const ended = await run("careless", data.path, params);
    assertEquals(ended.status, "failed");
    assertMatch(ended.reason ?? "", reason);
    const { status, summary, claims, tables } = await readRun(ended.path);
    assertEquals([status, summary, claims], ["failed", [], []]);
    assertEquals(tables.notes!.texts("text"), ["kept"]);
  });
}

Deno.test("an answer that is no judgement leaves its claim not measured, and the run can be read", async () => {
  using data = new TemporaryFolder();
  const { path } = await run("careless", data.path, { summary: "promised" });
  const { status, reason, claims } = await readRun(path);
  assertEquals([status, reason], ["complete", null]);
  assertEquals(claims.map(({ id, verdict, reason }) => [id, verdict, reason]), [
    ["A1", "not measured", "The rule gave no judgement: it gave undefined"],
    ["A2", "not measured", "The rule gave no verdict: it gave true"],
    ["A3", "not measured", "The unit must be ms, By, 1, 1/s or null: the rule gave s"],
    ["A4", "not measured", "The reason must be text or null: the rule gave 5"],
    ["A5", "not measured", "The rule gave no judgement: it gave a promise"],
    ["A6", "holds", null],
  ]);
});

/** Overwrites a digit of the first row, so that all that is there can still be read. */
function changeFirstRow(file: string): void {
  using opened = Deno.openSync(file, { read: true, write: true });
  const text = new Uint8Array(1000);
  const header = new TextDecoder().decode(text.subarray(0, opened.readSync(text)!)).indexOf("\n") + 1;
  opened.seekSync(header, Deno.SeekMode.Start);
  opened.writeSync(new TextEncoder().encode("7"));
}

const INTERFERENCES: readonly [what: string, interfere: (file: string) => void, reason: RegExp][] = [
  ["removed", (file) => Deno.removeSync(file), /naps\.csv is missing$/],
  [
    "replaced",
    (file) => {
      const rows = Deno.readTextFileSync(file).split("\n").slice(0, 2).join("\n") + "\n";
      Deno.removeSync(file);
      Deno.writeTextFileSync(file, rows);
    },
    /naps\.csv must have \d+ bytes, and has \d+$/,
  ],
  ["changed", changeFirstRow, /naps\.csv was changed meanwhile$/],
  [
    "made a folder",
    (file) => {
      Deno.removeSync(file);
      Deno.mkdirSync(file);
    },
    /naps\.csv is no plain file any more$/,
  ],
];

/** Runs an experiment, and does something to the folder of the run while it is measured. */
async function meddle(
  dataDirectory: string,
  params: Readonly<Record<string, unknown>>,
  interfere: (path: string) => void,
): Promise<EndedRun> {
  let path: string | null = null;
  return await run("napping", dataDirectory, { naps: 100, ...params }, {
    onEvent(event) {
      if (event.type === "created") path = event.path;
      if (event.type !== "progress" || path === null) return;
      interfere(path);
      path = null;
    },
  });
}

for (const [what, interfere, reason] of INTERFERENCES) {
  Deno.test(`a run whose table is ${what} while it is measured has failed, and says so`, async () => {
    using data = new TemporaryFolder();
    const ended = await meddle(data.path, {}, (path) => interfere(join(path, "naps.csv")));
    assertEquals(ended.status, "failed");
    assertMatch(ended.reason ?? "", /^Cannot complete run napping\/\S+ as naps\.csv /);
    assertMatch(ended.reason ?? "", reason);
    const { verdict, status } = await verifyRun(ended.path);
    assertEquals([verdict, status], ["differs", "failed"]);
  });
}

for (const [manner, why] of [["heedful", ""], ["throws", "The bed broke. "]] as const) {
  Deno.test(`a run whose end cannot be written is told as what it is on disk: ${manner}`, async () => {
    using data = new TemporaryFolder();
    const ended = await meddle(data.path, { manner }, (path) => {
      Deno.mkdirSync(join(path, "datapackage.json.tmp", "in-the-way"), { recursive: true });
    });
    const { status, reason, tables } = await readRun(ended.path);
    assertEquals([ended.status, status], ["incomplete", "incomplete"]);
    assertMatch(ended.reason ?? "", new RegExp(`^${why}Its end could not be written: `));
    assertMatch(reason ?? "", /its end could not be written/);
    assertEquals(tables.naps!.length > 0, true);
  });
}

if (Deno.build.os === "linux") {
  Deno.test("a run is measured also where the environment tells the linker where to look", async () => {
    using data = new TemporaryFolder();
    const lab = `deno task --quiet lab run handshake-cost --requests 1 --rounds 1 --data ${data.path}`;
    // Deno lets no test with scoped rights set such a variable: a shell does.
    const script = ["LD_LIBRARY_PATH", "LD_BIND_NOW"].map((name) => `${name}=/usr/lib ${lab}`).join(" && ");
    const { code, stderr } = await new Deno.Command("unshare", {
      args: ["sh", "-c", script],
      cwd: new URL("../..", import.meta.url),
      stdin: "null",
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
  });
}
