import { assert, assertEquals } from "@std/assert";
import { experimentIds } from "../experiments/mod.ts";
import { verifyRun } from "../store/mod.ts";
import { files } from "./_files.ts";

const ROOT = `${import.meta.dirname}/../..`;

/** What is committed, but for raw numbers: a run is held to its schema by `lab verify`. */
const COMMITTED = [
  ...await files(ROOT, [".ci", "lib", "notebooks", "servers"]),
  ...["README.md", "LICENSE", "deno.json", "deno.lock", ".gitignore"],
];

const read = (path: string) => Deno.readTextFile(`${ROOT}/${path}`);

/** Where a pattern stands in the committed files that match. */
async function places(pattern: RegExp, among: RegExp = /./): Promise<string[]> {
  const found: string[] = [];
  for (const path of COMMITTED.filter((path) => among.test(path))) {
    (await read(path)).split("\n").forEach((line, index) => {
      const match = pattern.exec(line);
      if (match) found.push(`${path}:${index + 1}: ${match[0]}`);
    });
  }
  return found;
}

const tasks: Record<string, string | { command?: string }> = JSON.parse(await read("deno.json")).tasks;

Deno.test("no committed file names a folder of this machine, and none names a registry's host", async () => {
  const folders = [Deno.realPathSync(ROOT), Deno.env.get("HOME") ?? "", Deno.env.get("DENO_DIR") ?? ""];
  for (const folder of folders.filter((folder) => folder.length > 1)) {
    assertEquals(await places(new RegExp(`(?<![\\w.])${RegExp.escape(folder)}(?!\\w)`)), []);
  }
  assertEquals(
    await places(/registry\.npmjs|\bnpm\.jsr\b|pypi\.org|pythonhoste[d]|proxy\.golang|crates\.io/),
    [],
  );
});

Deno.test("no committed program carries a mark of unfinished or silenced work", async () => {
  const programs = /\.(?:ts|sh)$|\.ci\/run$/;
  assertEquals(await places(/\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/, programs), []);
  assertEquals(await places(/@ts-(?:ignor[e]|nochec[k]|expect-erro[r])/, programs), []);
  assertEquals(await places(/\bDeno\.test\.(?:ignor[e]|onl[y])\b|\b(?:ignor[e]|onl[y]): true/, programs), []);
  assertEquals(await places(/deno-lint-ignor[e](?:-file)?(?! [\w -]+ -- )/, /\.ts$/), []);
  assertEquals(await places(/^\s*(?:\/\/|\*|#)\s*[-=*#]{4,}/, programs), []);
});

Deno.test("no task and no program of ours gives every right to what it starts", async () => {
  assertEquals(
    await places(/(?<=["' ])(?:-[A]|--allow-al[l])(?=["' ]|$)/, /^deno\.json$|\.ts$|\.ci\/run$/),
    [],
  );
});

Deno.test("no task lets a program start whatever it likes", async () => {
  assertEquals(await places(/--allow-run(?!=)/, /^deno\.json$/), []);
});

Deno.test("every task that a document or a notebook names exists", async () => {
  const named = (await places(/deno task [\w-]+/, /\.(?:md|ipynb)$/)).map((place) =>
    place.split(" ").at(-1)!
  );
  assert(named.length > 0);
  assertEquals(named.filter((task) => !(task in tasks)), []);
});

const isNotebook = (path: string) => path.startsWith("notebooks/") && path.endsWith(".ipynb");

/** A notebook, as far as it is looked at here. */
interface Notebook {
  readonly cells: readonly {
    readonly cell_type: string;
    readonly metadata: { readonly tags?: readonly string[] };
    readonly source: string | readonly string[];
    readonly outputs?: unknown;
  }[];
}

/** The committed notebooks by path, with the code of their cells. */
async function notebooks(): Promise<{ path: string; text: string; notebook: Notebook; code: string }[]> {
  return await Promise.all(
    COMMITTED.filter(isNotebook).map(async (path) => {
      const text = await read(path);
      const notebook: Notebook = JSON.parse(text);
      const cells = notebook.cells.filter(({ cell_type }) => cell_type === "code");
      return { path, text, notebook, code: cells.map(({ source }) => [source].flat().join("")).join("\n") };
    }),
  );
}

Deno.test("every experiment has a notebook that runs it, and a line in the README", async () => {
  const [all, readme] = [await notebooks(), await read("README.md")];
  const ids = experimentIds();
  assert(ids.length > 0);
  assertEquals(ids.filter((id) => !all.some(({ code }) => code.includes(`lab.run("${id}"`))), []);
  const rows = readme.split("\n").filter((line) => line.startsWith("|"));
  assertEquals(ids.filter((id) => !rows.some((row) => row.includes(`\`${id}\``))), []);
});

Deno.test("a notebook begins with its question, has one cell of parameters, and is no program", async () => {
  for (const { path, notebook, code } of await notebooks()) {
    const [first] = notebook.cells;
    assertEquals(first?.cell_type, "markdown", path);
    assert(/^# .*\?$/m.test([first!.source].flat().join("")), `${path} has no question`);
    const tagged = notebook.cells.filter(({ metadata }) => metadata.tags?.includes("parameters"));
    assertEquals(tagged.length, 1, path);
    const imported = [...code.matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map(([, name]) => name);
    assertEquals(imported.filter((name) => name !== "connlab"), [], path);
    assert(!/\bfunction\b|^\s*(?:const|let)\s+\w+\s*=\s*(?:async\s*)?\([^)]*\)\s*=>/m.test(code), path);
  }
});

Deno.test("a notebook is small, and the runs that it was made from are committed and whole", async () => {
  for (const { path, text, notebook } of await notebooks()) {
    assert(text.length < 1_500_000, `${path} has ${text.length} characters`);
    const outputs = JSON.stringify(notebook.cells.map(({ outputs }) => outputs));
    const runs = new Set(outputs.match(/[a-z][a-z0-9-]*\/\d{8}T\d{6}Z-[0-9a-z]{4}/g));
    assert(runs.size > 0, `${path} names no run`);
    for (const run of runs) assertEquals((await verifyRun(`${ROOT}/data/${run}`)).verdict, "ok", run);
  }
});

Deno.test("every file that the README links to is there", async () => {
  const links = [...(await read("README.md")).matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, path]) =>
    path!
  );
  assert(links.length > 0);
  assertEquals(links.filter((path) => !COMMITTED.includes(path)), []);
});
