import { assert, assertEquals, assertThrows } from "@std/assert";
import { until } from "../testing/mod.ts";
import { countTimeWait, hasLiveConnection } from "./socket_sides.ts";
import { readSockets, socketTableSupport, timeWaitTotal } from "./sockets.ts";

/** Opens a connection over loopback; `closed` is the table once both ends are closed, `first` first. */
async function connection(hostname: string) {
  const listener = Deno.listen({ hostname, port: 0 });
  const { port } = listener.addr;
  const ports = new Set([port]);
  const [client, server] = await Promise.all([Deno.connect({ hostname, port }), listener.accept()]);
  return {
    port,
    ports,
    client,
    server,
    async close(first: Deno.Conn, second: Deno.Conn) {
      first.close();
      assertEquals(await second.read(new Uint8Array(1)), null);
      second.close();
      return await until(() => {
        const entries = readSockets({ ports });
        return hasLiveConnection(entries, ports) ? null : entries;
      });
    },
    [Symbol.dispose]() {
      for (const resource of [client, server, listener]) {
        try {
          resource.close();
        } catch {
          // The test has closed it.
        }
      }
    },
  };
}

const support = socketTableSupport();

if (support.available) {
  Deno.test("an open connection is in the table from both sides, beside its listener", async () => {
    using link = await connection("127.0.0.1");
    const clientPort = (link.client.localAddr as Deno.NetAddr).port;
    const entries = readSockets({ ports: link.ports });
    const end = (port: number) => ({ address: "127.0.0.1", port });
    const established = { family: "ipv4", state: "ESTABLISHED" } as const;
    assertEquals(entries.filter(({ state }) => state === "LISTEN"), [
      { family: "ipv4", local: end(link.port), peer: { address: "0.0.0.0", port: 0 }, state: "LISTEN" },
    ]);
    assertEquals(entries.filter(({ local }) => local.port === clientPort), [
      { ...established, local: end(clientPort), peer: end(link.port) },
    ]);
    assertEquals(entries.filter(({ peer }) => peer.port === clientPort), [
      { ...established, local: end(link.port), peer: end(clientPort) },
    ]);
    assertEquals(entries.length, 3);
    assertEquals(hasLiveConnection(entries, link.ports), true);
    assertEquals(readSockets({ ports: link.ports, states: new Set(["LISTEN"]) }).length, 1);
  });

  Deno.test("TIME_WAIT is the client's when the client closes first", async () => {
    using link = await connection("127.0.0.1");
    const entries = await link.close(link.client, link.server);
    assertEquals(countTimeWait(entries, link.ports), { client: 1, server: 0 });
    assert(timeWaitTotal() >= 1);
  });

  Deno.test("TIME_WAIT is the server's when the server closes first", async () => {
    using link = await connection("127.0.0.1");
    const entries = await link.close(link.server, link.client);
    assertEquals(countTimeWait(entries, link.ports), { client: 0, server: 1 });
  });

  Deno.test("without options the whole table is read", async () => {
    using link = await connection("127.0.0.1");
    const whole = readSockets().filter(({ local, peer }) =>
      link.ports.has(local.port) || link.ports.has(peer.port)
    );
    assertEquals(whole, readSockets({ ports: link.ports }));
  });
} else {
  Deno.test("where there is no socket table, the reason is told", () => {
    assert(support.reason !== null);
    assertThrows(() => readSockets());
    assertThrows(() => timeWaitTotal());
  });
}
