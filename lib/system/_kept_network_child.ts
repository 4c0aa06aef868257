/** A process of the tests, in user and network namespaces of its own: leaves a network and comes back to it. */
import { announce } from "./announce.ts";
import { KeptNetwork } from "./kept_network.ts";
import { enterFreshNetwork } from "./own_network.ts";
import { RawSocket } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";
import { readSockets } from "./sockets.ts";

const PORT = 7777;

/** How many sockets listen on the port in the calling thread's network. */
function listening(): number {
  return readSockets({ ports: new Set([PORT]) }).length;
}

function refusal(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return `${error}`;
  }
}

const first = enterFreshNetwork();
const kept = new KeptNetwork();
const opened = RawSocket.open();
const listens = opened.ok && opened.socket.bindTo(new SocketAddress("127.0.0.1", PORT)) &&
  opened.socket.listen(1);
const here = listening();
const second = enterFreshNetwork();
const elsewhere = listening();
kept.enter();
const back = listening();
const setting = refusal(() => first.set("net.ipv4.tcp_tw_reuse", 1));
const other = refusal(() => second.set("net.ipv4.tcp_tw_reuse", 1));
kept[Symbol.dispose]();
kept[Symbol.dispose]();
announce({
  listens,
  counts: [here, elsewhere, back, listening()],
  setting,
  other,
  after: refusal(() => kept.enter()),
});
