import { assert, assertEquals } from "@std/assert";
import { files } from "./_files.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

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

Deno.test("no committed file names a folder of a machine, and none names a registry's host", async () => {
  assertEquals(await places(/(?<![\w.])\/(?:home|root|work|Users)(?:\/\w|["'`\s])/), []);
  assertEquals(
    await places(/registry\.npmjs|\bnpm\.jsr\b|pypi\.org|pythonhosted|proxy\.golang|crates\.io/),
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

Deno.test("every task that a document or a notebook names exists", async () => {
  const named = (await places(/deno task [\w-]+/, /\.(?:md|ipynb)$/)).map((place) =>
    place.split(" ").at(-1)!
  );
  assert(named.length > 0);
  assertEquals(named.filter((task) => !(task in tasks)), []);
});
