import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { until } from "../testing/mod.ts";
import { startChild } from "./_child.ts";
import { connectChannel, receiveMessage, sendMessage } from "./_descriptor_messages.ts";
import { ANSWER, COMMAND, holderName } from "./_holder_protocol.ts";
import { socketCalls } from "./_socket_calls.ts";
import { Holder } from "./holder.ts";
import { libcPath } from "./libc_path.ts";
import { UNSHARE } from "./namespace_support.ts";
import { readKernelFile } from "./proc.ts";
import { RawSocket } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";
import { setSocketOption } from "./socket_options.ts";
import { readSockets } from "./sockets.ts";
import { UnsupportedError } from "./unsupported_error.ts";

const FFI = `--allow-ffi=${libcPath()}`;

function open(blocking = true): RawSocket {
  const opened = RawSocket.open({ blocking });
  assert(opened.ok);
  return opened.socket;
}

/** Connections to a listener, with the ends that it accepted. */
class Connections implements Disposable {
  readonly #listener = open(false);
  readonly clients: RawSocket[] = [];
  readonly servers: RawSocket[] = [];
  readonly port: number;

  constructor(count: number) {
    const bound = this.#listener.bind(new SocketAddress("127.0.0.1"));
    assert(bound.ok && this.#listener.listen(8));
    this.port = bound.localPort;
    const address = new SocketAddress("127.0.0.1", this.port);
    for (let index = 0; index < count; index++) {
      const client = open();
      assert(client.connectTo(address));
      const accepted = this.#listener.accept();
      assert(accepted.ok);
      this.clients.push(client);
      this.servers.push(accepted.socket);
    }
  }

  /** How many of the clients' ends are established. */
  get established(): number {
    return readSockets({ ports: new Set([this.port]), states: new Set(["ESTABLISHED"]) })
      .filter(({ peer }) => peer.port === this.port).length;
  }

  /** How many of the servers have been told that their client is gone. */
  get ended(): number {
    return this.servers.filter((server) => server.receive(new Uint8Array(1)) === 0).length;
  }

  [Symbol.dispose](): void {
    for (const socket of [...this.clients, ...this.servers, this.#listener]) socket.close();
  }
}

/** The processor's time that a process has taken, in ticks of 10 ms. Source: proc_pid_stat(5). */
function ticks(pid: number): number {
  const [, rest = ""] = readKernelFile(`/proc/${pid}/stat`).split(") ");
  const fields = rest.split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

if (Deno.build.os === "linux") {
  Deno.test("sockets stay open in the holder when their sender has closed them, with their ports", async () => {
    await using child = startChild("_holder_child.ts", [FFI]);
    const { pid, name } = await child.next() as { pid: number; name: string };
    assertEquals(name, `@connlab-holder-${pid}`);
    using holder = Holder.connect(pid);
    using connections = new Connections(300);
    const ports = connections.clients.map(({ localPort }) => localPort);
    assertEquals(holder.hold(connections.clients), { ok: true, held: 300 });
    assert(connections.clients.every(({ isOpen }) => !isOpen));
    assertEquals([connections.established, connections.ended], [300, 0]);
    using rival = open();
    assertEquals(rival.bind(new SocketAddress("127.0.0.1", ports[0])), { ok: false, kind: "address-in-use" });

    assertEquals([holder.letGo(), holder.held], [300, 0]);
    await until(() => connections.established === 0 && connections.ended === 300);
    assertEquals(holder.hold([]), { ok: true, held: 0 });
  });

  Deno.test("a holder that is full takes no part of a batch, and keeps what it has", async () => {
    await using child = startChild("_holder_child.ts", [FFI]);
    const { pid } = await child.next() as { pid: number };
    using holder = Holder.connect(pid);
    using connections = new Connections(600);
    assertEquals(holder.hold(connections.clients), { ok: false, kind: "descriptors-exhausted", held: 253 });
    assertEquals(connections.clients.filter(({ isOpen }) => isOpen).length, 600 - 253);
    assertEquals([connections.established, connections.ended], [600, 0]);
    assertEquals(holder.hold(connections.clients.slice(253, 263)), { ok: true, held: 263 });
  });

  Deno.test("a holder that is full rests while another process knocks, and lets it in when it has room", async () => {
    await using child = startChild("_holder_child.ts", [FFI]);
    const { pid } = await child.next() as { pid: number };
    using holder = Holder.connect(pid);
    using connections = new Connections(600);
    while (holder.hold(connections.clients.filter(({ isOpen }) => isOpen).slice(0, 1)).ok);
    assert(holder.held > 253 && holder.held < 400, `${holder.held}`);
    const knocking = connectChannel(holderName(pid));
    assert(knocking !== null);
    try {
      setSocketOption(knocking, "receiveTimeoutMs", 500);
      assert(sendMessage(knocking, [COMMAND.hold, 0]));
      const before = ticks(pid);
      assertEquals(receiveMessage(knocking), null);
      // One that spins has all 50 of the ticks in which no answer comes.
      const taken = ticks(pid) - before;
      assert(taken < 15, `${taken} ticks`);
      holder.letGo();
      setSocketOption(knocking, "receiveTimeoutMs", 10_000);
      assertEquals(receiveMessage(knocking)?.words, [ANSWER.done, 0]);
    } finally {
      socketCalls().close(knocking);
    }
  });

  Deno.test("a holder lets go of what was held for one that left, and of nothing else", async () => {
    await using child = startChild("_holder_child.ts", [FFI]);
    const { pid } = await child.next() as { pid: number };
    using staying = Holder.connect(pid);
    const leaving = Holder.connect(pid);
    using connections = new Connections(20);
    assertEquals(staying.hold(connections.clients.slice(0, 10)), { ok: true, held: 10 });
    assertEquals(leaving.hold(connections.clients.slice(10)), { ok: true, held: 10 });
    leaving[Symbol.dispose]();
    leaving[Symbol.dispose]();
    await until(() => connections.ended === 10);
    assertEquals(connections.established, 10);
  });

  Deno.test("a holder that dies frees what it held", async () => {
    await using child = startChild("_holder_child.ts", [FFI]);
    const { pid } = await child.next() as { pid: number };
    using holder = Holder.connect(pid);
    using connections = new Connections(20);
    assertEquals(holder.hold(connections.clients.slice(0, 10)), { ok: true, held: 10 });
    child.process.kill("SIGKILL");
    await child.process.status;
    await until(() => connections.ended === 10);
    for (const _ of ["at first", "and later"]) {
      assertEquals(holder.hold(connections.clients.slice(10)), { ok: false, kind: "reset", held: 0 });
    }
    assert(connections.clients.slice(10).every(({ isOpen }) => isOpen));
    assertThrows(() => Holder.connect(pid), Error, `no holder of id ${pid}`);
  });

  Deno.test("a holder keeps sockets of a network that it never enters, and is found from its own", async () => {
    await using child = startChild("_holder_network_child.ts", [
      FFI,
      `--allow-read=${libcPath()}`,
      "--allow-run=deno",
    ], UNSHARE);
    // deno-lint-ignore no-explicit-any -- held against its shape below
    const { fromElsewhere, ...rest } = await child.next() as any;
    assertMatch(fromElsewhere, /no holder of id \d+ is in this network namespace/);
    assertEquals(rest, {
      outcome: { ok: true, held: 20 },
      kept: [{
        state: "ESTABLISHED",
        side: "client",
        peer: { address: "127.0.0.1", port: 20_007 },
        count: 20,
      }],
      letGo: 20,
      after: [],
    });
  });
} else {
  Deno.test("where sockets cannot be passed on, what is missing is told", () => {
    assertThrows(() => Holder.connect(1), UnsupportedError);
  });
}
