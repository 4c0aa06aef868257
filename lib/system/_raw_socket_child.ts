/** A process of the tests, in a network of its own with four ports: meets every failure, and tells what is said. */
import { announce } from "./announce.ts";
import { openLibc } from "./libc.ts";
import { descriptorLimits } from "./limits.ts";
import { isOwnAddress } from "./own_address.ts";
import { enterFreshNetwork } from "./own_network.ts";
import { RawSocket, type RawSocketOptions } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";
import { countSockets } from "./socket_counts.ts";

const [LOW, HIGH] = [30_000, 30_003];
const LISTENS = new SocketAddress("127.0.0.1", 20_007);
const CLOSED = new SocketAddress("127.0.0.1", 20_009);
const ELSEWHERE = new SocketAddress("192.0.2.1", 20_009);

function fresh(): void {
  enterFreshNetwork({ "net.ipv4.ip_local_port_range": [LOW, HIGH], "net.ipv4.tcp_tw_reuse": 0 });
}

function open(options: RawSocketOptions = {}): RawSocket {
  const opened = RawSocket.open(options);
  if (!opened.ok) throw new Error(opened.kind);
  return opened.socket;
}

function listen(address = LISTENS, backlog = 16): RawSocket {
  const listener = open({ family: address.family, blocking: false });
  listener.setOption("reuseAddress", true);
  if (!listener.bindTo(address) || !listener.listen(backlog)) throw new Error("Cannot listen");
  return listener;
}

function connected(address = LISTENS, options: RawSocketOptions = {}): number | string {
  const outcome = open(options).connect(address);
  return outcome.ok ? outcome.localPort : outcome.kind;
}

/** What a socket bound to an address, which others may share, gets of a connect. */
function bound(from: SocketAddress, to: SocketAddress, blocking: boolean): number | string {
  const socket = open({ blocking, family: from.family });
  socket.setOption("reuseAddress", true);
  if (!socket.bindTo(from)) return `bind: ${socket.whyNotBound(from)}`;
  const outcome = socket.connect(to);
  return outcome.ok ? outcome.localPort : outcome.kind;
}

function exhausted() {
  fresh();
  listen();
  const ports = Array.from({ length: 4 }, () => connected());
  const late = open();
  late.setOption("bindAddressNoPort", true);
  const whenLate = [late.bind(new SocketAddress("127.0.0.1")), late.connect(LISTENS)];
  return {
    ports,
    blocking: connected(),
    nonBlocking: connected(LISTENS, { blocking: false }),
    bindFirst: open().bind(new SocketAddress("127.0.0.1")),
    whenLate,
    otherSource: bound(new SocketAddress("127.0.0.2"), LISTENS, true),
    udp: [...Array(5)].map(() => connected(LISTENS, { protocol: "udp" })),
  };
}

function refusals() {
  fresh();
  const [from, late] = [new SocketAddress("127.0.0.1", 31_000), new SocketAddress("127.0.0.1", 31_001)];
  listen();
  const refused = [true, false].map((blocking) => connected(CLOSED, { blocking }));
  const refusedBound = [true, false].map((blocking) => bound(from, CLOSED, blocking));
  const firstOfTwo = bound(late, LISTENS, true);
  return {
    refused,
    refusedBound,
    firstOfTwo,
    secondOfTwo: [true, false].map((blocking) => bound(late, LISTENS, blocking)),
    unreachable: [true, false].map((blocking) => connected(ELSEWHERE, { blocking })),
    unreachableUdp: connected(ELSEWHERE, { protocol: "udp" }),
    taken: open().bind(LISTENS),
    // Who may administer the network may take every port of it.
    takenLow: [open(), open()].map((socket) => socket.bind(new SocketAddress("127.0.0.1", 7))),
    foreign: [20_009, 7].map((port) => open().bind(new SocketAddress(ELSEWHERE.address, port))),
  };
}

function slow() {
  fresh();
  listen(LISTENS, 0);
  // The queue holds one more than it is asked to; the kernel drops what comes after.
  connected();
  const socket = open();
  socket.setOption("sendTimeoutMs", 50);
  return socket.connect(LISTENS);
}

function options() {
  fresh();
  listen();
  const windowed = open();
  const window = [windowed.setOption("localPortRange", [30_002, 30_002]), windowed.connect(LISTENS)];
  const reset = open();
  const kept = open();
  for (const socket of [reset, kept]) socket.connectTo(LISTENS);
  reset.setOption("lingerSeconds", 0);
  reset.close();
  return {
    window,
    backwards: open().setOption("localPortRange", [30_003, 30_001]),
    congestion: ["reno", "nonesuch"].map((name) => open().setOption("congestionControl", name)),
    noDelay: open().setOption("noDelay", true),
    noDelayOfUdp: open({ protocol: "udp" }).setOption("noDelay", true),
    clients: countSockets(new Set([LISTENS.port])).filter(({ side }) => side === "client"),
  };
}

function udpReuse() {
  fresh();
  const port = new SocketAddress("127.0.0.1", 31_000);
  return [false, true, true].map((reuse, index) => {
    const socket = open({ protocol: "udp" });
    socket.setOption("reuseAddress", reuse);
    const outcome = socket.bind(port);
    if (index === 0) socket.close();
    return outcome;
  });
}

function ipv6() {
  fresh();
  const server = new SocketAddress("::1", 20_007);
  listen(server);
  const dual = open({ family: "ipv6" });
  const only = open({ family: "ipv6" });
  const any = new SocketAddress("::", 20_008);
  const v4 = new SocketAddress("0.0.0.0", 20_008);
  only.setOption("v6Only", true);
  dual.setOption("v6Only", false);
  const beside = [only.bind(any), open().bind(v4)];
  return {
    ports: [...Array(5)].map(() => connected(server, { family: "ipv6" })),
    own: ["::1", "127.0.0.1", "127.9.9.9", "2001:db8::1", "192.0.2.1"].map(isOwnAddress),
    beside,
    dual: dual.bind(any),
    bound: bound(new SocketAddress("::1", 31_000), server, true),
    foreign: open({ family: "ipv6" }).bind(new SocketAddress("2001:db8::1")),
  };
}

function withoutIpv6() {
  enterFreshNetwork({ "net.ipv6.conf.all.disable_ipv6": 1 });
  const server = new SocketAddress("::1", 20_007);
  return {
    own: isOwnAddress("::1"),
    bound: open({ family: "ipv6" }).bind(server),
    connected: [true, false].map((blocking) => connected(server, { family: "ipv6", blocking })),
  };
}

/** Out of descriptors, as far as this process is concerned. */
function withoutDescriptors() {
  fresh();
  const listener = listen();
  connected();
  const { setrlimit } = openLibc({ setrlimit: { parameters: ["i32", "buffer"], result: "i32" } });
  const { soft, hard } = descriptorLimits();
  const limit = (now: number) => setrlimit(7, new BigUint64Array([BigInt(now), BigInt(hard)]));
  limit(3);
  const [opened, accepted] = [RawSocket.open(), listener.accept()];
  limit(soft);
  const again = listener.accept();
  return { opened, accepted, again: again.ok, none: listener.accept() };
}

announce({
  exhausted: exhausted(),
  refusals: refusals(),
  slow: slow(),
  options: options(),
  udpReuse: udpReuse(),
  ipv6: ipv6(),
  withoutIpv6: withoutIpv6(),
  withoutDescriptors: withoutDescriptors(),
});
