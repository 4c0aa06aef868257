import { assertEquals, assertMatch } from "@std/assert";
import { startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";
import { UNSHARE } from "./namespace_support.ts";

if (Deno.build.os === "linux") {
  Deno.test("a thread comes back to a network that it keeps, with its sockets and settings", async () => {
    await using child = startChild("_kept_network_child.ts", [`--allow-ffi=${libcPath()}`], UNSHARE);
    const report = await child.next() as Record<string, unknown>;
    assertEquals(report.listens, true);
    assertEquals(report.counts, [1, 0, 1, 1]);
    assertEquals(report.setting, null);
    assertMatch(`${report.other}`, /of network net:\[\d+\] as this thread is in/);
    assertMatch(`${report.after}`, /Cannot enter this network as it is kept no more/);
  });
}
