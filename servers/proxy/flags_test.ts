import { assertEquals } from "@std/assert";
import type { Param } from "../../lib/record/mod.ts";
import { PROXY } from "./flags.ts";

Deno.test("proxy takes each of its defaults when it is given", () => {
  for (const [name, param] of Object.entries<Param<unknown>>(PROXY.params)) {
    const written = param.format(param.default);
    // What there is not by default cannot be given.
    if (written === null) continue;
    assertEquals([name, param.parse(written)], [name, { value: param.default }]);
  }
});
