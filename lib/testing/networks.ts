import { until } from "./until.ts";

/** Which networks there are: those that a process is in. */
async function networksInUse(): Promise<ReadonlySet<string>> {
  const args = ["sh", "-c", "readlink /proc/[0-9]*/ns/net"];
  const { stdout } = await new Deno.Command("unshare", { args }).output();
  const networks = new Set(new TextDecoder().decode(stdout).match(/^net:.+$/gm));
  // This process is in one.
  if (networks.size === 0) throw new Error("Cannot tell which networks there are");
  return networks;
}

/**
 * Waits until no process is in any of some networks. A number may be another network's for a moment, as the system
 * gives numbers out again. Linux only.
 *
 * @param networks which ones, such as `net:[4026532247]`
 * @throws {Error} one is still in use, or they cannot be told
 */
export async function networksGone(networks: readonly string[]): Promise<void> {
  for (const network of networks) {
    if (!/^net:\[\d+\]$/.test(network)) throw new Error(`Cannot wait for network ${network} as it is none`);
  }
  await until(async () => {
    const used = await networksInUse();
    return !networks.some((network) => used.has(network));
  });
}
