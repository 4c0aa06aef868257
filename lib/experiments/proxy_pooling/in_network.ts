import { enterNetworkOf, KeptNetwork, type NetworkSettings } from "../../system/mod.ts";

/**
 * Does something in the network of a server: the calling thread goes there and comes back, and threads and sockets
 * that are made meanwhile are there.
 *
 * @param pid the server's process id
 * @param settings what differs from the kernel's presets there
 * @param work what is done; nothing else may make sockets meanwhile
 * @returns what it comes to
 * @throws {Error} the network cannot be entered, or a setting was not taken
 */
export async function inNetworkOf<T>(
  pid: number,
  settings: NetworkSettings,
  work: () => Promise<T>,
): Promise<T> {
  using home = new KeptNetwork();
  const network = enterNetworkOf(pid);
  try {
    for (const [name, value] of Object.entries(settings)) network.set(name, value);
    return await work();
  } finally {
    home.enter();
  }
}
