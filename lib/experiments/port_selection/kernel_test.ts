import { assertEquals } from "@std/assert";
import { isKernelFrom } from "./kernel.ts";

Deno.test("a kernel is compared by numbers and not by text", () => {
  assertEquals(isKernelFrom("6.10.0", "6.8"), true);
  assertEquals(isKernelFrom("6.7.12-arch1", "6.8"), false);
  assertEquals(isKernelFrom("7.0", "6.8"), true);
  assertEquals(isKernelFrom("unknown", "6.8"), null);
});
