/**
 * A process of the tests that takes every file descriptor it may have, and then starts a program of the lab:
 * tells what became of it.
 */
import { CONFIG_PATH } from "./layout.ts";
import { Program } from "./program.ts";
import { toRefusal } from "./refusal.ts";

const held: Deno.FsFile[] = [];
try {
  for (;;) held.push(Deno.openSync("/dev/null"));
} catch (error) {
  if ((error as { code?: string }).code !== "EMFILE") throw error;
}
try {
  new Program(new URL("environment_main.ts", import.meta.url), { config: CONFIG_PATH, permissions: [] })
    .kill();
  console.log("started");
} catch (error) {
  console.log(JSON.stringify(toRefusal(error)));
}
Deno.exit(0);
