import { assertEquals } from "@std/assert";
import { openControl } from "./control.ts";

Deno.test("openControl gives what there is at the time, and names the paths where there is nothing", async () => {
  let seen = 0;
  await using control = openControl("127.0.0.1", { "/stats": () => ({ seen }) });
  const ask = (path: string) => fetch(`http://127.0.0.1:${control.addr.port}${path}`);
  assertEquals(await (await ask("/stats")).json(), { seen: 0 });
  seen++;
  assertEquals(await (await ask("/stats?fresh")).json(), { seen: 1 });
  for (const path of ["/", "/toString"]) {
    const response = await ask(path);
    assertEquals([response.status, await response.text()], [
      404,
      `There is no ${path}: the paths are /stats\n`,
    ]);
  }
});
