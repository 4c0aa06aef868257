// The other side of `system_bench.ts`: a line on standard input asks for a round of connects to a listener in
// the same process; the answer is the time that it took, in nanoseconds. `_connect_bench.c` is the same in C.
import { enterFreshNetwork, Lifeline, RawSocket, SocketAddress } from "../system/mod.ts";

function open(): RawSocket {
  const opened = RawSocket.open();
  if (!opened.ok) throw new Error(`Cannot open socket: ${opened.kind}`);
  return opened.socket;
}

const ports = new Uint16Array(Number(Deno.args[0]));
const sockets: RawSocket[] = [];
enterFreshNetwork({ "net.core.somaxconn": 65_535 });
using lifeline = new Lifeline();
while (await lifeline.nextLine() !== null) {
  const listener = open();
  const bound = listener.bind(new SocketAddress("127.0.0.1"));
  if (!bound.ok || !listener.listen(65_535)) throw new Error("Cannot listen");
  const server = new SocketAddress("127.0.0.1", bound.localPort);

  const startMs = performance.now();
  for (let index = 0; index < ports.length; index++) {
    const socket = open();
    if (!socket.connectTo(server)) throw new Error(`Cannot connect: ${socket.whyNotConnected(server)}`);
    ports[index] = socket.localPort;
    sockets.push(socket);
  }
  const tookNs = (performance.now() - startMs) * 1e6;

  // Reset, they leave nothing in TIME_WAIT that the next round would walk around.
  for (const socket of sockets.splice(0)) {
    socket.setOption("lingerSeconds", 0);
    socket.close();
  }
  listener.close();
  if (ports.includes(0)) throw new Error("A connection has no port");
  console.log(Math.round(tookNs));
}
