import { assert } from "@std/assert";
import { descriptorLimits } from "./limits.ts";

if (Deno.build.os !== "windows") {
  Deno.test("the descriptor limits are counts, the soft one within the hard one", () => {
    const { soft, hard } = descriptorLimits();
    assert(soft === Infinity || Number.isSafeInteger(soft));
    assert(soft >= 16, `${soft}`);
    assert(soft <= hard, `${soft} ${hard}`);
  });
}
