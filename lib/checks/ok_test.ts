import { assert, assertEquals } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";

const OK = `${import.meta.dirname}/ok.ts`;

/** What `ok` says and returns in a folder with these files. */
async function ok(
  names: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<{ code: number; said: string }> {
  using root = new TemporaryFolder();
  for (const [path, text] of Object.entries({ "deno.json": "{}\n", ...files })) {
    await Deno.writeTextFile(`${root.path}/${path}`, text);
  }
  const args = ["run", "--no-lock", "--no-prompt", "--allow-read=.", "--allow-run=deno", OK, ...names];
  const { code, stdout, stderr } = await new Deno.Command("deno", { args, cwd: root.path }).output();
  return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

Deno.test("ok passes what is sound, with a line for each check", async () => {
  const { code, said } = await ok(["fmt", "lint"], { "a.ts": "export const a = 1;\n" });
  assertEquals(code, 0);
  assert(/^✓ fmt +\d+\.\d s\n✓ lint +\d+\.\d s\n2 passed, 0 failed\n$/.test(said), said);
});

Deno.test("ok goes on after a check that fails, and says what it said", async () => {
  const { code, said } = await ok(["fmt", "lint"], { "a.ts": "export const a=1;\n" });
  assertEquals(code, 1);
  assert(/^✗ fmt[^]*not formatted[^]*\n✓ lint [^]*\n1 passed, 1 failed\n$/.test(said), said);
});

Deno.test("ok refuses a check that does not exist before it runs any", async () => {
  const { code, said } = await ok(["fmt", "nope"], {});
  assertEquals(code, 2);
  assert(said.startsWith("Cannot run check nope as there is none of that name"), said);
});
