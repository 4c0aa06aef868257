/** In a network of its own, fills an accept queue and knocks once more: tells what the system counted. */
import { acceptQueues, listenCounters } from "./listen_queue.ts";
import { OwnNetwork } from "./own_network.ts";
import { RawSocket, type RawSocketOptions } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";

function open(options: RawSocketOptions = {}): RawSocket {
  const opened = RawSocket.open(options);
  if (opened.ok) return opened.socket;
  throw new Error("Cannot open a socket");
}

OwnNetwork.adopt();
const before = listenCounters();
const listener = open();
const bound = listener.bind(new SocketAddress("127.0.0.1"));
listener.listen(1);
const address = new SocketAddress("127.0.0.1", bound.ok ? bound.localPort : 0);
// One more than the limit finds room.
const clients = [open(), open(), open({ blocking: false })];
for (const client of clients) client.connectTo(address);
const [queue] = acceptQueues(address.port);
const { waiting, limit } = queue!;
console.log(JSON.stringify({ before, after: listenCounters(), queue: { waiting, limit } }));
for (const socket of [listener, ...clients]) socket.close();
