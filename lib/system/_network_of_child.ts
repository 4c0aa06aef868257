/** A process of the tests, in user and network namespaces of its own: goes where another process is, and back. */
import { announce } from "./announce.ts";
import { KeptNetwork } from "./kept_network.ts";
import { enterFreshNetwork, enterNetworkOf, type OwnNetwork } from "./own_network.ts";

const RANGE = "net.ipv4.ip_local_port_range";

function refusal(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return `${error}`;
  }
}

function isHere(network: OwnNetwork): boolean {
  return refusal(() => network.get(RANGE)) === null;
}

/** The port from which a worker that is made now reaches a port; `null` when it does not. */
async function portOfWorker(port: number): Promise<number | null> {
  const script = `
    const reached = Deno.connect({ hostname: "127.0.0.1", port: ${port} });
    reached.then(({ localAddr }) => postMessage(localAddr.port), () => postMessage(null));`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(script)}`, { type: "module" });
  const told = await new Promise<number | null>((resolve) => worker.onmessage = ({ data }) => resolve(data));
  worker.terminate();
  return told;
}

const first = enterFreshNetwork();
using home = new KeptNetwork();
const second = enterFreshNetwork();
const other = new Deno.Command("cat", { stdin: "piped" }).spawn();
using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const { port } = listener.addr as Deno.NetAddr;
home.enter();
const before = [isHere(first), isHere(second)];
const fromHome = await portOfWorker(port);
const entered = enterNetworkOf(other.pid);
entered.set(RANGE, [30_000, 30_001]);
const there = [isHere(first), isHere(second), entered.id === second.id];
const fromThere = await portOfWorker(port);
home.enter();
const after = [isHere(first), isHere(second), isHere(entered)];
const machine = refusal(() => enterNetworkOf(Deno.ppid));
await other.stdin.close();
await other.status;
announce({
  ...{ before, fromHome, there, fromThere, after, machine },
  gone: refusal(() => enterNetworkOf(other.pid)),
  stays: isHere(first),
});
