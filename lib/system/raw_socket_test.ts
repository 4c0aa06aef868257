import { assert, assertEquals, assertThrows } from "@std/assert";
import { until } from "../testing/mod.ts";
import { startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";
import { UNSHARE } from "./namespace_support.ts";
import { RawSocket, type RawSocketOptions } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";
import { UnsupportedError } from "./unsupported_error.ts";

function open(options: RawSocketOptions = {}): RawSocket {
  const opened = RawSocket.open(options);
  assert(opened.ok);
  return opened.socket;
}

/** A connection over loopback, with the listener that took it. */
function connection() {
  const listener = open({ blocking: false });
  const bound = listener.bind(new SocketAddress("127.0.0.1"));
  assert(bound.ok && listener.listen(8));
  const server = new SocketAddress("127.0.0.1", bound.localPort);
  const client = open();
  assert(client.connectTo(server));
  const accepted = listener.accept();
  assert(accepted.ok);
  const sockets = [client, accepted.socket, listener];
  return {
    listener,
    client,
    server: accepted.socket,
    address: server,
    [Symbol.dispose]: () => sockets.forEach((socket) => socket.close()),
  };
}

if (Deno.build.os === "windows") {
  Deno.test("where there is no C library, what is missing is told", () => {
    const { missing } = assertThrows(() => RawSocket.open(), UnsupportedError);
    assertEquals(missing, "sockets in a C library");
  });
} else {
  Deno.test("both ends of a connection know each other", () => {
    using link = connection();
    const { client, server, address } = link;
    assert(client.localPort > 0);
    assertEquals(client.peer, { address: "127.0.0.1", port: address.port });
    assertEquals(server.peer, { address: "127.0.0.1", port: client.localPort });
    assertEquals(client.local, server.peer);
    assertEquals(server.localPort, address.port);
  });

  Deno.test("a socket that is not bound has no port, and one that is not connected no peer", () => {
    using socket = open();
    assertEquals([socket.localPort, socket.peer], [0, null]);
    assertEquals(socket.takeError(), null);
  });

  Deno.test("bytes arrive, and the end of them", () => {
    using link = connection();
    const into = new Uint8Array(16);
    assertEquals(link.client.send(new TextEncoder().encode("hello")), 5);
    assertEquals(link.server.receive(into), 5);
    assertEquals(new TextDecoder().decode(into.subarray(0, 5)), "hello");
    assertEquals(link.server.receive(into), -1);
    assert(link.client.shutdown("send"));
    assertEquals(link.server.receive(into), 0);
  });

  Deno.test("what a reset leaves behind is told once", async () => {
    using link = connection();
    assert(link.client.setOption("lingerSeconds", 0));
    link.client.close();
    assertEquals(await until(() => link.server.takeError()), "reset");
    assertEquals(link.server.takeError(), null);
  });

  Deno.test("a listener without a connection has none to accept", () => {
    using link = connection();
    assertEquals(link.listener.accept(), { ok: false, kind: null });
  });

  Deno.test("a socket is closed once, and not used afterwards", () => {
    using link = connection();
    assert(link.client.isOpen);
    link.client.close();
    // Its descriptor is the next socket's, which a second close must not take away.
    using other = open();
    link.client.close();
    assert(!link.client.isOpen);
    assert(other.bind(new SocketAddress("127.0.0.1")).ok);
    assertThrows(() => link.client.connectTo(link.address), TypeError, "as it is closed");
    assertThrows(() => link.client.localPort, TypeError, "as it is closed");
  });

  Deno.test("an address of the other family is misuse", () => {
    using socket = open();
    assertThrows(() => socket.connect(new SocketAddress("::1", 9)), TypeError, "as it is of ipv4");
  });

  Deno.test("UDP sockets exchange datagrams", () => {
    using receiver = open({ protocol: "udp" });
    const bound = receiver.bind(new SocketAddress("127.0.0.1"));
    assert(bound.ok);
    using sender = open({ protocol: "udp" });
    assert(sender.connect(new SocketAddress("127.0.0.1", bound.localPort)).ok);
    assertEquals(sender.send(Uint8Array.of(1, 2, 3)), 3);
    const into = new Uint8Array(8);
    assertEquals([receiver.receive(into), ...into.subarray(0, 3)], [3, 1, 2, 3]);
  });
}

if (Deno.build.os === "linux") {
  Deno.test("the kernel's facts of a connection", () => {
    using link = connection();
    const info = link.client.tcpInfo();
    assertEquals(info.state, "ESTABLISHED");
    assertEquals([info.unackedSegments, info.retransmissions], [0, 0]);
    assert(info.rttMs > 0 && info.retransmissionTimeoutMs >= 200);
    assert(info.congestionWindowSegments > 0 && info.segmentBytes > 500);
    assertEquals(link.listener.tcpInfo().state, "LISTEN");
    using datagrams = open({ protocol: "udp" });
    assertThrows(() => datagrams.tcpInfo(), TypeError, "over udp");
  });

  const done = (localPort: number) => ({ ok: true, localPort });
  const failed = (kind: string | null) => ({ ok: false, kind });
  await using child = startChild("_raw_socket_child.ts", [`--allow-ffi=${libcPath()}`], UNSHARE);
  // deno-lint-ignore no-explicit-any -- each part is held against its own shape below
  const report = await child.next() as Record<string, any>;

  Deno.test("without a free port, connect and bind say so in their own ways", () => {
    const { ports, udp, otherSource, ...rest } = report.exhausted;
    assertEquals(ports.toSorted(), [30_000, 30_001, 30_002, 30_003]);
    assert(ports.includes(otherSource));
    assertEquals([udp.slice(0, 4).sort(), udp[4]], [
      [30_000, 30_001, 30_002, 30_003],
      "local-ports-exhausted",
    ]);
    assertEquals(rest, {
      blocking: "local-ports-exhausted",
      nonBlocking: "local-ports-exhausted",
      bindFirst: failed("address-in-use"),
      whenLate: [done(0), failed("local-ports-exhausted")],
    });
  });

  Deno.test("other failures are told apart, blocking or not, bound or not", () => {
    assertEquals(report.refusals, {
      refused: ["refused", "refused"],
      refusedBound: ["refused", "refused"],
      firstOfTwo: 31_001,
      secondOfTwo: ["local-ports-exhausted", "local-ports-exhausted"],
      unreachable: ["unreachable", "unreachable"],
      unreachableUdp: "unreachable",
      taken: failed("address-in-use"),
      takenLow: [done(7), failed("address-in-use")],
      foreign: [failed("other"), failed("other")],
    });
    assertEquals(report.slow, failed("timed-out"));
  });

  Deno.test("out of descriptors, nothing is opened and nothing accepted; what waits stays", () => {
    assertEquals(report.withoutDescriptors, {
      opened: failed("descriptors-exhausted"),
      accepted: failed("descriptors-exhausted"),
      again: true,
      none: failed(null),
    });
  });

  Deno.test("options take effect, and what the system refuses is told", () => {
    const peer = { address: "127.0.0.1", port: 20_007 };
    assertEquals(report.options, {
      window: [true, done(30_002)],
      backwards: false,
      congestion: [true, false],
      noDelay: true,
      noDelayOfUdp: false,
      // The one that was reset has left nothing behind.
      clients: [{ state: "ESTABLISHED", side: "client", peer, count: 2 }],
    });
  });

  Deno.test("two UDP sockets that both reuse have one port", () => {
    assertEquals(report.udpReuse, [done(31_000), done(31_000), done(31_000)]);
  });

  Deno.test("IPv6 sockets behave alike, and a dual one stands in the way of IPv4", () => {
    const { ports, ...rest } = report.ipv6;
    assertEquals(ports.slice(0, 4).sort(), [30_000, 30_001, 30_002, 30_003]);
    assertEquals(ports[4], "local-ports-exhausted");
    assertEquals(rest, {
      own: [true, true, true, false, false],
      beside: [done(20_008), done(20_008)],
      dual: failed("address-in-use"),
      bound: 31_000,
      foreign: failed("other"),
    });
  });

  Deno.test("where IPv6 is off, its addresses are not the machine's and not reached", () => {
    assertEquals(report.withoutIpv6, {
      own: false,
      bound: failed("other"),
      connected: ["unreachable", "unreachable"],
    });
  });
}
