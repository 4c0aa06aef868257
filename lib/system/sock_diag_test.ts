import { assert, assertEquals } from "@std/assert";
import { until } from "../testing/mod.ts";
import { startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";
import { gather, type SocketEntry, type SocketFilter } from "./proc_tcp.ts";
import { RawSocket } from "./raw_socket.ts";
import { visitSockDiag } from "./sock_diag.ts";
import { SocketAddress } from "./socket_address.ts";
import { countSockets, type SocketCount, tally } from "./socket_counts.ts";
import { countTimeWait } from "./socket_sides.ts";
import { readSockets, scanSockets } from "./sockets.ts";

const sorted = (entries: readonly SocketEntry[]) => entries.map((entry) => JSON.stringify(entry)).sort();

/** By state, then side, then peer. */
function inOrder(counts: readonly SocketCount[]): SocketCount[] {
  const key = ({ state, side, peer }: SocketCount) => `${state} ${side} ${peer.address}`;
  return counts.toSorted((one, other) => key(one) < key(other) ? -1 : 1);
}

function open(family: "ipv4" | "ipv6", blocking = true): RawSocket {
  const opened = RawSocket.open({ family, blocking });
  assert(opened.ok);
  return opened.socket;
}

/** Sockets in many states at one listener of an address: open ones, both kinds of TIME_WAIT, half-closed ones. */
class Scene implements Disposable {
  readonly #sockets: RawSocket[] = [];
  readonly port: number;

  constructor(address: string, connectTo: readonly string[]) {
    const local = new SocketAddress(address);
    const listener = this.#keep(open(local.family, false));
    listener.setOption("v6Only", false);
    const bound = listener.bind(local);
    assert(bound.ok && listener.listen(64));
    this.port = bound.localPort;
    for (const hostname of connectTo) {
      const peer = new SocketAddress(hostname, this.port);
      for (const end of ["open", "client", "server", "half", "bound"]) {
        const client = this.#keep(open(peer.family));
        assert(client.connectTo(peer));
        const accepted = listener.accept();
        assert(accepted.ok);
        const server = this.#keep(accepted.socket);
        if (end === "half") assert(client.shutdown("send"));
        if (end === "client") [client, server].forEach((socket) => socket.close());
        if (end === "server") [server, client].forEach((socket) => socket.close());
      }
    }
  }

  #keep(socket: RawSocket): RawSocket {
    this.#sockets.push(socket);
    return socket;
  }

  get ports(): ReadonlySet<number> {
    return new Set([this.port]);
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.close();
  }
}

/** Both readings, when nothing is changing any more. */
async function bothWays(filter: SocketFilter): Promise<SocketEntry[]> {
  return await until(() => {
    const asked = gather((visit) => assert(visitSockDiag(filter, visit)));
    const scanned = gather((visit) => scanSockets(filter, visit));
    if (asked.some(({ state }) => state === "FIN_WAIT1" || state === "CLOSING" || state === "LAST_ACK")) {
      return;
    }
    assertEquals(sorted(asked), sorted(scanned));
    return asked;
  });
}

if (Deno.build.os === "linux") {
  Deno.test("the kernel's answer is what the scan finds, state by state", async () => {
    using scene = new Scene("0.0.0.0", ["127.0.0.1", "127.0.0.2"]);
    const entries = await bothWays({ ports: scene.ports });
    const states = new Set(entries.map(({ state }) => state));
    assertEquals(
      states,
      new Set(["LISTEN", "ESTABLISHED", "TIME_WAIT", "FIN_WAIT2", "CLOSE_WAIT"] as const),
    );
    assertEquals(entries.length, 1 + 2 * (2 + 1 + 1 + 2 + 2));
    for (const state of states) {
      const only = await bothWays({ ports: scene.ports, states: new Set([state]) });
      assertEquals(sorted(only), sorted(entries.filter((entry) => entry.state === state)));
    }
    assertEquals(sorted(readSockets({ ports: scene.ports })), sorted(entries));
    assertEquals(countTimeWait(entries, scene.ports), { client: 2, server: 2 });
  });

  Deno.test("IPv6 sockets are told too, those that carry IPv4 as IPv4", async () => {
    using scene = new Scene("::", ["::1", "127.0.0.1"]);
    const entries = await bothWays({ ports: scene.ports });
    const families = (family: string) => entries.filter((entry) => entry.family === family);
    assertEquals(families("ipv6").length, 1 + 2 + 1 + 1 + 2 + 2);
    assertEquals(families("ipv4").length, 2 + 1 + 1 + 2 + 2);
    assert(families("ipv4").every(({ local }) => local.address === "127.0.0.1"));
    assertEquals(new Set(families("ipv6").map(({ local }) => local.address)), new Set(["::", "::1"]));
  });

  Deno.test("sockets are counted by state, side and peer", async () => {
    using scene = new Scene("0.0.0.0", ["127.0.0.1", "127.0.0.2"]);
    await bothWays({ ports: scene.ports });
    const counts = countSockets(scene.ports, new Set(["TIME_WAIT", "ESTABLISHED"]));
    const end = (address: string, port: number) => ({ address, port });
    const of = (side: string) => counts.filter((count) => count.side === side);
    assertEquals(inOrder(of("client")), [
      { state: "ESTABLISHED", side: "client", peer: end("127.0.0.1", scene.port), count: 2 },
      { state: "ESTABLISHED", side: "client", peer: end("127.0.0.2", scene.port), count: 2 },
      { state: "TIME_WAIT", side: "client", peer: end("127.0.0.1", scene.port), count: 1 },
      { state: "TIME_WAIT", side: "client", peer: end("127.0.0.2", scene.port), count: 1 },
    ]);
    // The system gives every client of loopback the same address.
    assertEquals(inOrder(of("server")), [
      { state: "ESTABLISHED", side: "server", peer: end("127.0.0.1", 0), count: 4 },
      { state: "TIME_WAIT", side: "server", peer: end("127.0.0.1", 0), count: 2 },
    ]);
    const scanned = tally(scene.ports, (visit) => scanSockets({}, visit));
    assertEquals(inOrder(scanned), inOrder(countSockets(scene.ports)));
    assertEquals(countSockets(new Set()), []);
  });

  Deno.test("where netlink is refused, the scan takes its place", async () => {
    const rights = [`--allow-ffi=${libcPath()}`, "--allow-net=127.0.0.1"];
    await using child = startChild("_no_netlink_child.ts", rights);
    const { port, queues, ...rest } = await child.next() as { port: number; queues: string };
    assertEquals(queues, "Cannot read accept queues as Linux has no socket table over netlink: sock_diag(7)");
    const [local, peer] = [{ address: "127.0.0.1", port }, { address: "0.0.0.0", port: 0 }];
    assertEquals(rest, {
      before: { available: true, reason: null, source: "sock_diag" },
      isFiltered: true,
      after: { available: true, reason: null, source: "proc" },
      entries: [{ family: "ipv4", local, peer, state: "LISTEN" }],
      counts: [{ state: "LISTEN", side: "server", peer, count: 1 }],
    });
  });
}
