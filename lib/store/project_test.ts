import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { dataDirectory, findProjectRoot } from "./project.ts";

Deno.test("findProjectRoot() takes the nearest deno.json above, and data/ lies under it", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const inner = join(root, "inner");
    const deep = join(inner, "notebooks", "old");
    Deno.mkdirSync(deep, { recursive: true });
    Deno.writeTextFileSync(join(root, "deno.json"), "{}");
    assertEquals(findProjectRoot(deep), root);
    Deno.mkdirSync(join(inner, "deno.json"));
    assertEquals(findProjectRoot(deep), root);
    Deno.writeTextFileSync(join(inner, "deno.jsonc"), "{}");
    assertEquals(findProjectRoot(deep), inner);
    assertEquals(dataDirectory(undefined, deep), join(inner, "data"));
    assertEquals(dataDirectory("elsewhere", deep), join(deep, "elsewhere"));
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a folder that belongs to no project is its own", () => {
  assertEquals(findProjectRoot("/"), null);
  assertEquals(dataDirectory(undefined, "/"), "/data");
});
