import { assert, assertEquals, assertThrows } from "@std/assert";
import { cString, libc } from "./libc.ts";
import { probeKernelFile, readKernelFile } from "./proc.ts";

/** The number that the next descriptor gets: the lowest that is free, open(2). */
function nextDescriptor(): number {
  const descriptor = libc().open(cString("/"), 0);
  libc().close(descriptor);
  return descriptor;
}

if (Deno.build.os === "linux") {
  Deno.test("a file that does not exist is not found", () => {
    assertThrows(() => readKernelFile("/proc/absent"), Deno.errors.NotFound, "/proc/absent");
    assertThrows(() => probeKernelFile("/proc/absent"), Deno.errors.NotFound, "/proc/absent");
  });

  Deno.test("a folder is refused, not taken for absent", () => {
    const error = assertThrows(() => readKernelFile("/"), Error, "Cannot read /");
    assert(!(error instanceof Deno.errors.NotFound));
  });

  Deno.test("a text longer than the buffer, in more bytes than characters, is read whole", () => {
    const path = Deno.makeTempFileSync();
    try {
      const text = "é\n".repeat(400_000);
      Deno.writeTextFileSync(path, text);
      const read = readKernelFile(path);
      assert(read === text, `${read.length} of ${text.length} characters`);
      Deno.writeTextFileSync(path, "short");
      assertEquals(readKernelFile(path), "short");
    } finally {
      Deno.removeSync(path);
    }
  });

  Deno.test("reading and being refused leave no descriptor open", () => {
    const before = nextDescriptor();
    for (let count = 0; count < 200; count++) {
      assertThrows(() => readKernelFile("/"));
      probeKernelFile("/");
    }
    // Other threads of the runtime open some of their own.
    assert(nextDescriptor() < before + 100);
  });

  Deno.test("the kernel's files are read", () => {
    assert(readKernelFile("/proc/self/stat").startsWith(`${Deno.pid} (`));
    probeKernelFile("/proc/thread-self/net/tcp");
  });
}
