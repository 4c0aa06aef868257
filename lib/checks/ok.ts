import { files } from "./_files.ts";

/** What `deno` is called with for each check, in the order in which they run: the quick ones first. */
async function checks(): Promise<Readonly<Record<string, readonly string[]>>> {
  const faces = (await files(Deno.cwd(), ["lib"])).filter((path) => path.endsWith("/mod.ts"));
  return {
    fmt: ["fmt", "--check"],
    lint: ["lint"],
    check: ["check", "--frozen", "lib", "servers"],
    doc: ["doc", "--lint", ...faces],
    imports: ["run", "--frozen", "--allow-read=.", "--allow-run=deno", "lib/checks/import_graph.ts"],
    lock: ["install", "--frozen"],
    tests: ["task", "test"],
  };
}

/** Text without the lines that no one reads: a notebook carries pictures in lines of a megabyte. */
function readable(text: string): string {
  return text.trimEnd().replace(/^(.{200}).+$/gm, "$1 …");
}

/** Runs one check and prints a line about it; what it said follows only when it failed. */
async function passes(name: string, args: readonly string[]): Promise<boolean> {
  const start = performance.now();
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: [...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${success ? "✓" : "✗"} ${name.padEnd(8)}${seconds.padStart(6)} s`);
  if (!success) {
    for (const part of [stdout, stderr]) console.log(readable(new TextDecoder().decode(part)));
  }
  return success;
}

/**
 * Runs the checks of the given names, or all, to the end even when one fails.
 *
 * @returns the exit status: 0, 1 when a check failed, 2 when there is no check of such a name
 */
async function ok(names: readonly string[]): Promise<number> {
  const all = await checks();
  const unknown = names.find((name) => !(name in all));
  if (unknown !== undefined) {
    console.error(
      `Cannot run check ${unknown} as there is none of that name: ${Object.keys(all).join(", ")}`,
    );
    return 2;
  }
  const wanted = names.length > 0 ? names : Object.keys(all);
  let passed = 0;
  for (const name of wanted) if (await passes(name, all[name]!)) passed++;
  const failed = wanted.length - passed;
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await ok(Deno.args));
