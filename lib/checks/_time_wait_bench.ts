// The other side of `system_bench.ts`: fills the TIME_WAIT table of a network of its own, and says how long one
// count of it by side takes, in milliseconds.
import { countSockets, enterFreshNetwork, RawSocket, SocketAddress } from "../system/mod.ts";

const SOCKETS = Number(Deno.args[0]);
const COUNTS = 25;
/** Addresses of the server: one alone would have fewer free ports than that. */
const DESTINATIONS = 2;
const PORT = 7;
const IN_TIME_WAIT = new Set(["TIME_WAIT"] as const);

function open(blocking: boolean): RawSocket {
  const opened = RawSocket.open({ blocking });
  if (!opened.ok) throw new Error(`Cannot open socket: ${opened.kind}`);
  return opened.socket;
}

enterFreshNetwork({ "net.ipv4.tcp_tw_reuse": 0 });
const listener = open(false);
if (!listener.bindTo(new SocketAddress("0.0.0.0", PORT)) || !listener.listen(128)) {
  throw new Error("Cannot listen");
}
const servers = Array.from(
  { length: DESTINATIONS },
  (_, index) => new SocketAddress(`127.0.0.${index + 1}`, PORT),
);
for (let index = 0; index < SOCKETS; index++) {
  using client = open(true);
  const server = servers[index % DESTINATIONS]!;
  if (!client.connectTo(server)) throw new Error(`Cannot connect: ${client.whyNotConnected(server)}`);
  const accepted = listener.accept();
  if (!accepted.ok) throw new Error(`Cannot accept: ${accepted.kind}`);
  // The port of a client that closes last is free, and a new connection from it would end the old TIME_WAIT.
  client.close();
  accepted.socket.close();
}

const ports = new Set([PORT]);
for (let round = 0; round < COUNTS; round++) {
  const startMs = performance.now();
  const counts = countSockets(ports, IN_TIME_WAIT);
  const tookMs = performance.now() - startMs;
  const counted = counts.reduce((sum, { count }) => sum + count, 0);
  if (counted !== SOCKETS) throw new Error(`Only ${counted} of ${SOCKETS} sockets are in TIME_WAIT`);
  console.log(tookMs);
}
