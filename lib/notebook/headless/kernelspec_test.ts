import { assertEquals } from "@std/assert";
import { TemporaryFolder } from "../../testing/mod.ts";
import { kernelspecText } from "./kernelspec.ts";

/** Runs the program with a data folder of its own for Jupyter. */
async function install(dataFolder: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = new URL("kernelspec_main.ts", import.meta.url).href;
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", "--allow-run=deno", program],
    env: { XDG_DATA_HOME: dataFolder, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("the kernelspec is installed, also over another, and where it is is said", async () => {
  using data = new TemporaryFolder();
  for (const _ of ["first", "again"]) {
    const { code, stdout, stderr } = await install(data.path);
    assertEquals([code, stderr], [0, ""]);
    const folder = `${data.path}/jupyter/kernels/deno`;
    assertEquals(stdout, `${kernelspecText(folder)}\n`);
    const spec = JSON.parse(await Deno.readTextFile(`${folder}/kernel.json`));
    assertEquals([spec.language, spec.argv.slice(1, 3)], ["typescript", ["jupyter", "--kernel"]]);
  }
});

Deno.test("a folder that cannot be written is named, with a remedy", async () => {
  const file = await Deno.makeTempFile();
  try {
    const { code, stdout, stderr } = await install(file);
    assertEquals([code, stdout], [3, ""]);
    assertEquals(stderr.split("\n").slice(0, 2), [
      `Cannot install the Deno kernel: Failed to create kernel directory at ${file}/jupyter/kernels/deno ` +
      "Caused by: Not a directory (os error 20)",
      "Make the folder writable, or name another one with XDG_DATA_HOME",
    ]);
  } finally {
    await Deno.remove(file);
  }
});
