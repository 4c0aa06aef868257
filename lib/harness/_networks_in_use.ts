import { assertMatch } from "@std/assert";
import { until } from "../testing/mod.ts";

/** Which networks there are: those that a process is in. */
async function networksInUse(): Promise<string> {
  const args = ["sh", "-c", "readlink /proc/[0-9]*/ns/net"];
  return new TextDecoder().decode((await new Deno.Command("unshare", { args }).output()).stdout);
}

/**
 * Waits, for tests, until no process is in any of some networks. A number may be another network's for a moment, as the
 * system gives numbers out again.
 */
export async function untilUnused(networks: Iterable<string>): Promise<void> {
  const ids = [...networks];
  for (const id of ids) assertMatch(id, /^net:\[\d+\]$/);
  await until(async () => {
    const used = await networksInUse();
    assertMatch(used, /^net:/);
    return !ids.some((id) => used.includes(id));
  });
}
