import { assert, assertEquals } from "@std/assert";
import { LIBC_CANDIDATES, libcPath } from "./libc_path.ts";

Deno.test("the C library is the first candidate that exists", () => {
  const path = libcPath();
  if (Deno.build.os === "windows") {
    assertEquals(path, null);
    return;
  }
  assert(path !== null);
  assert(LIBC_CANDIDATES.includes(path));
  const library = Deno.dlopen(path, { getpid: { parameters: [], result: "i32" } });
  try {
    assertEquals(library.symbols.getpid(), Deno.pid);
  } finally {
    library.close();
  }
});

Deno.test("every candidate is an absolute path, since Deno compares it as text", () => {
  for (const path of LIBC_CANDIDATES) assert(path.startsWith("/"), path);
  assertEquals(new Set(LIBC_CANDIDATES).size, LIBC_CANDIDATES.length);
});
