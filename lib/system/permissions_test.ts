import { assert, assertEquals } from "@std/assert";
import type { Environment } from "../record/mod.ts";
import { startChild } from "./_child.ts";
import { LIBC_CANDIDATES, libcPath } from "./libc_path.ts";
import type { SocketTableSupport } from "./sockets.ts";

interface Report {
  readonly libcPath: string | null;
  readonly support: SocketTableSupport;
  readonly attempts: Readonly<Record<string, string>>;
  readonly environment: Environment;
}

async function report(rights: readonly string[]): Promise<Report> {
  await using child = startChild("_reader_child.ts", rights);
  return await child.next() as Report;
}

const WITHOUT_SYS = ["cpu.load1", "cpu.model", "memoryBytes", "system.kernel"];
const WITHOUT_SOURCE = ["source.clean", "source.commit"];

Deno.test("without rights nothing throws where it must not, and every refusal is told", async () => {
  const { support, attempts, environment, libcPath } = await report([]);
  assertEquals(support.available, false);
  assert(support.reason !== null);
  assertEquals(new Set(Object.values(attempts)), new Set(["NotSupported"]));
  assertEquals(environment.network.tcpTwReuse, null);
  assertEquals(environment.limits.descriptors, null);
  for (const path of [...WITHOUT_SYS, "network.tcpTwReuse", "limits.descriptors"]) {
    assert(path in environment.reasons, path);
  }
  if (Deno.build.os === "linux") {
    assertEquals(libcPath, null);
    assert(support.reason.includes("--allow-ffi"), support.reason);
  }
});

if (Deno.build.os === "linux") {
  const libc = libcPath();
  assert(libc !== null);

  Deno.test("the right to the C library alone is enough for every reader", async () => {
    const { support, attempts, environment } = await report([`--allow-ffi=${libc}`]);
    assertEquals(support, { available: true, reason: null, source: "sock_diag" });
    assertEquals(attempts, {
      timeWaitTotal: "number",
      readSockets: "object",
      descriptorLimits: "object",
      isAlive: "boolean",
    });
    assertEquals(Object.keys(environment.reasons).sort(), [...WITHOUT_SYS, ...WITHOUT_SOURCE].sort());
  });

  Deno.test("with the four rights to the system every fact is known", async () => {
    const { environment } = await report([
      `--allow-ffi=${libc}`,
      "--allow-sys=osRelease,cpus,loadavg,systemMemoryInfo",
    ]);
    assertEquals(Object.keys(environment.reasons).sort(), WITHOUT_SOURCE);
  });

  Deno.test("the right to read the candidates is enough to find the C library", async () => {
    assertEquals((await report([`--allow-read=${LIBC_CANDIDATES.join(",")}`])).libcPath, libc);
    assertEquals((await report([`--allow-read=${libc}`])).libcPath, libc);
  });
}
