import { assertEquals, assertExists, assertStringIncludes } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";

const ROOT = new URL("../..", import.meta.url);
const readme = await Deno.readTextFile(new URL("README.md", ROOT));

async function task(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["task", "--quiet", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  return { code, out, err };
}

Deno.test("the README's own experiment runs as it stands, and draws its figure", async () => {
  const [, source] = /<!-- my_experiment\.ts -->\s+```ts\n(.*?)```/s.exec(readme) ?? [];
  assertExists(source);
  using folder = new TemporaryFolder();
  await Deno.writeTextFile(`${folder.path}/my_experiment.ts`, source);
  const { code, out, err } = await task(
    ...[
      "lab",
      "run",
      `${folder.path}/my_experiment.ts`,
      "--connections",
      "50",
      "--data",
      folder.path,
      "--json",
    ],
  );
  assertEquals(code, 0, err);
  const { id, summary, status } = JSON.parse(out);
  assertEquals({ status, metrics: summary.map(({ name }: { name: string }) => name) }, {
    status: "complete",
    metrics: ["connectP50Ms"],
  });
  const { lab } = await import("../notebook/mod.ts");
  const run = await lab.load(id, { data: folder.path, experiment: `${folder.path}/my_experiment.ts` });
  assertEquals(run.rows("connects").length, 50);
  assertEquals(run.figure("latency").data.length, 1);
});

Deno.test("every line that the README gives to a terminal begins with a verb that exists", async () => {
  const lines = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) => block!.trim().split("\n"));
  const labs = lines.flatMap((line) => /deno task lab (\w+)/.exec(line)?.[1] ?? []);
  assertEquals(labs.length > 5, true);
  for (const verb of new Set(labs)) assertEquals((await task("lab", verb, "--help")).code, 0, verb);
});

Deno.test("every example of the README fits its types, and the quick look measures", async () => {
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, source]) => source!);
  using folder = new TemporaryFolder();
  const files = examples.map((_, index) => `${folder.path}/example_${index}.ts`);
  await Promise.all(files.map((file, index) => Deno.writeTextFile(file, examples[index]!)));
  const config = new URL("deno.json", ROOT).pathname;
  const deno = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command("deno", { args, cwd: folder.path, stdin: "null" })
      .output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  await deno("check", `--config=${config}`, ...files);
  const look = files[examples.findIndex((source) => source.includes("lab.measure"))]!;
  const rights = [
    "--allow-read",
    "--allow-write=.",
    "--allow-ffi",
    "--allow-sys",
    "--allow-env",
    "--allow-run=git",
  ];
  assertStringIncludes(
    await deno("run", `--config=${config}`, "--frozen", "--no-prompt", ...rights, look),
    "rows: 1 rows",
  );
});
