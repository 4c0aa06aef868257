import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { TemporaryFolder } from "../testing/mod.ts";
import { dataDirectory, findProjectRoot } from "./project.ts";

Deno.test("findProjectRoot() takes the nearest deno.json above, and data/ lies under it", () => {
  using root = new TemporaryFolder();
  const inner = join(root.path, "inner");
  const deep = join(inner, "notebooks", "old");
  Deno.mkdirSync(deep, { recursive: true });
  Deno.writeTextFileSync(join(root.path, "deno.json"), "{}");
  assertEquals(findProjectRoot(deep), root.path);
  Deno.mkdirSync(join(inner, "deno.json"));
  assertEquals(findProjectRoot(deep), root.path);
  Deno.writeTextFileSync(join(inner, "deno.jsonc"), "{}");
  assertEquals(findProjectRoot(deep), inner);
  assertEquals(dataDirectory(undefined, deep), join(inner, "data"));
  assertEquals(dataDirectory("elsewhere", deep), join(deep, "elsewhere"));
});

Deno.test("a folder that belongs to no project is its own", () => {
  assertEquals(findProjectRoot("/"), null);
  assertEquals(dataDirectory(undefined, "/"), "/data");
});
