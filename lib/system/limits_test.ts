import { assert, assertEquals, assertThrows } from "@std/assert";
import { startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";
import { descriptorLimits, limitDescriptors } from "./limits.ts";
import { UNSHARE } from "./namespace_support.ts";

if (Deno.build.os !== "windows") {
  Deno.test("the descriptor limits are counts, the soft one within the hard one", () => {
    const { soft, hard } = descriptorLimits();
    assert(soft === Infinity || Number.isSafeInteger(soft));
    assert(soft >= 16, `${soft}`);
    assert(soft <= hard, `${soft} ${hard}`);
  });

  Deno.test("a process that limits its descriptors has no more, and cannot take that back", async () => {
    const rights = [`--allow-ffi=${libcPath()}`, "--allow-read=/dev/null"];
    // In a user namespace of its own even root has no privilege to raise a limit.
    await using child = startChild("_limit_descriptors_child.ts", rights, UNSHARE);
    assertEquals(await child.next(), {
      limits: { soft: 100, hard: 100 },
      isBelow: true,
      code: "EMFILE",
      refusal: "Cannot limit descriptors to 101 as the system refuses: the hard limit is 100",
    });
  });

  Deno.test("a limit that is no count is refused", () => {
    for (const count of [0, -1, 1.5, NaN, Infinity]) {
      assertThrows(() => limitDescriptors(count), RangeError, "must be an integer >= 1");
    }
  });
}
