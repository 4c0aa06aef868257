/** A process of the tests, in a network of its own: hands over sockets of networks that its holder never enters. */
import { startChild } from "./_child.ts";
import { announce } from "./announce.ts";
import { Holder } from "./holder.ts";
import { libcPath } from "./libc_path.ts";
import { enterFreshNetwork } from "./own_network.ts";
import { RawSocket } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";
import { countSockets } from "./socket_counts.ts";

const SERVER = new SocketAddress("127.0.0.1", 20_007);

function open(): RawSocket {
  const opened = RawSocket.open();
  if (!opened.ok) throw new Error(opened.kind);
  return opened.socket;
}

function refusal(pid: number): string | null {
  try {
    Holder.connect(pid)[Symbol.dispose]();
    return null;
  } catch (error) {
    return String(error);
  }
}

await using child = startChild("_holder_child.ts", [`--allow-ffi=${libcPath()}`]);
const { pid } = await child.next() as { pid: number };
using holder = Holder.connect(pid);
enterFreshNetwork();
const listener = open();
listener.bindTo(SERVER);
listener.listen(64);
const clients = Array.from({ length: 20 }, open);
for (const client of clients) client.connectTo(SERVER);
const outcome = holder.hold(clients);
const counted = () => countSockets(new Set([SERVER.port])).filter(({ side }) => side === "client");
const kept = counted();
const released = holder.letGo();
const after = counted().filter(({ state }) => state === "ESTABLISHED");
announce({ outcome, kept, letGo: released, after, fromElsewhere: refusal(pid) });
