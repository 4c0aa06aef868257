import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { MisuseError } from "../record/mod.ts";
import { readRun, verifyRun } from "../store/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { describe, type EndedRun, startRun } from "./start.ts";

/** An experiment of a person's own, of as many rows as it is told, which imports what it is told. */
function source(imports = "", rows = "3"): string {
  return `import { column, defineExperiment, integer } from "connlab";
${imports}
export default defineExperiment({
  id: "own", version: 1, title: "Own", question: "Does it run?",
  params: { rows: integer({ min: 1, max: 9, default: ${rows}, quick: 1, help: "how many" }) },
  tables: { rows: { order: column.count("place, from 0") } },
  budgetMs: () => 20_000,
  measure({ rows }, { emit }) {
    for (let order = 0; order < rows; order++) emit("rows", { order });
    return Promise.resolve();
  },
  summarize: () => [], figures: {},
});
`;
}

/** A folder of a person, with experiments. */
class Folder extends TemporaryFolder {
  readonly data = join(this.path, "data");

  /** Writes a file. @returns its URL */
  override write(name: string, text: string): string {
    Deno.mkdirSync(dirname(join(this.path, name)), { recursive: true });
    return pathToFileURL(super.write(name, text)).href;
  }

  run(experiment: string, dataDirectory = this.data): Promise<EndedRun> {
    return startRun(requestFor(experiment, { dataDirectory }));
  }
}

/** Makes a symbolic link, in a process of its own: it takes every right to write. */
async function link(target: string, path: string): Promise<void> {
  const code = `Deno.symlinkSync(${JSON.stringify(target)}, ${JSON.stringify(path)})`;
  assertEquals((await new Deno.Command("deno", { args: ["eval", "--no-config", code] }).output()).code, 0);
}

async function rowsOf({ path, status, reason }: EndedRun): Promise<number> {
  assertEquals([status, reason], ["complete", null]);
  return (await readRun(path)).tables.rows!.length;
}

Deno.test("a person's file is described by its parameters, whatever its path is", async () => {
  using folder = new Folder();
  const file = folder.write("100%20 #1?/mine.ts", source());
  assertEquals(await describe(file), {
    id: "own",
    title: "Own",
    question: "Does it run?",
    params: [{ name: "rows", kind: "integer", help: "how many", accepts: "1 to 9", default: 3, quick: 1 }],
  });
  assertEquals(await rowsOf(await folder.run(file)), 3);
});

Deno.test("a person's file imports npm packages, and what lies in its project", async () => {
  using folder = new Folder();
  const imports = `import { rows } from "../shared.ts";
import minimist from "npm:minimist@1.2.8";
const { n } = minimist(["-n", String(rows)]);`;
  const file = folder.write("experiments/mine.ts", source(imports, "n"));
  folder.write("shared.ts", "export const rows = 4;");
  const refused = await assertRejects(() => describe(file), MisuseError);
  assertMatch(refused.message, /imports .*shared\.ts, which is outside of its project: put a deno\.json/);
  await assertRejects(() => folder.run(file), MisuseError, "outside of its project");
  folder.write("deno.json", "{}");
  assertEquals((await describe(file)).params[0]?.default, 4);
  assertEquals(await rowsOf(await folder.run(file)), 4);
});

Deno.test("a URL names an experiment, its host may be imported from, and an edit counts", async () => {
  using folder = new Folder();
  const files = new Map([["/mine.ts", source('import { rows } from "./shared.ts";', "rows")]]);
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => {
      const text = files.get(new URL(url).pathname);
      const headers = { "content-type": "application/typescript" };
      return text === undefined ? new Response(null, { status: 404 }) : new Response(text, { headers });
    },
  );
  const at = `http://127.0.0.1:${server.addr.port}`;
  for (const rows of [5, 6]) {
    files.set("/shared.ts", `export const rows = ${rows};`);
    assertEquals((await describe(`${at}/mine.ts`)).params[0]?.default, rows);
    assertEquals(await rowsOf(await folder.run(`${at}/mine.ts`)), rows);
  }
  if (Deno.build.os === "linux") {
    // Nothing can be fetched in there: what it imports has been before.
    const needs = 'needs: () => ({ net: [], namespace: "own" }),\n  budgetMs';
    const imports = 'import { rows } from "./shared.ts";\nimport "npm:minimist@1.2.8";';
    files.set("/mine.ts", source(imports, "rows").replace("budgetMs", needs));
    files.set("/shared.ts", "export const rows = 7;");
    const ended = await folder.run(`${at}/mine.ts`);
    assertEquals(await rowsOf(ended), 7);
    assertEquals((await readRun(ended.path)).environment?.isolation, "namespace");
  }
  await assertRejects(() => describe(`${at}/nowhere.ts`), MisuseError, `Cannot load experiment file ${at}`);
  const file = folder.write("mine.ts", source(`import "${at}/shared.ts";`));
  await assertRejects(
    () => describe(file),
    MisuseError,
    "which only an experiment named by its URL there may do",
  );
});

Deno.test("a person's file that connects elsewhere is told to name the host", async () => {
  using folder = new Folder();
  const connect = 'await Deno.connect({ hostname: "127.0.0.2", port: 9 });\n    return Promise.resolve();';
  const text = source().replace("measure(", "async measure(").replace("return Promise.resolve();", connect);
  const { status, reason } = await folder.run(folder.write("mine.ts", text));
  assertEquals([status, reason], [
    "failed",
    'Requires net access to "127.0.0.2:9": name the host in the experiment\'s needs',
  ]);
});

Deno.test("a file that exports no experiment is told what is missing", async () => {
  using folder = new Folder();
  const cases: [text: string, problem: RegExp][] = [
    [
      "export default { measure() {}, summarize() {} };",
      /is no experiment, for its id must be in kebab case/,
    ],
    ["export const mine = 1;", /is no experiment, for it is no object/],
    [source().replace("tables: { rows", "tables: { napTimes"), /current value is napTimes/],
    [source().replace("params: { rows", "params: { seed"), /--seed is taken/],
  ];
  for (const [text, problem] of cases) {
    const file = folder.write("mine.ts", text);
    for (const refuse of [() => describe(file), () => folder.run(file)]) {
      assertMatch((await assertRejects(refuse, MisuseError)).message, problem);
    }
  }
});

if (Deno.build.os !== "windows") {
  Deno.test("a data folder, or one in it, may be a link to another disk", async () => {
    using folder = new Folder();
    using disk = new Folder();
    const file = folder.write("mine.ts", source());
    await link(disk.path, folder.data);
    const ended = await folder.run(file);
    assertEquals(await rowsOf(ended), 3);
    assertEquals((await verifyRun(ended.path)).verdict, "ok");
    Deno.mkdirSync(`${folder.path}/inner`);
    await link(`${disk.path}/own`, `${folder.path}/inner/own`);
    assertEquals(await rowsOf(await folder.run(file, `${folder.path}/inner`)), 3);
    assertEquals([...Deno.readDirSync(`${disk.path}/own`)].length, 2);
  });
}
