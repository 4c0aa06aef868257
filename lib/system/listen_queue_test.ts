import { assert, assertEquals, assertThrows } from "@std/assert";
import { startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";
import { acceptQueues, listenCounters, parseListenCounters } from "./listen_queue.ts";
import { RawSocket } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";
import { UNSHARE } from "./namespace_support.ts";

Deno.test("counters are found by their names, whatever stands before them", () => {
  const text =
    "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPHPHits\nTcpExt: 9 3 5 7\nIpExt: InNoRoutes\nIpExt: 0\n";
  assertEquals(parseListenCounters(text), { overflows: 3, drops: 5 });
  assertThrows(
    () => parseListenCounters("IpExt: InNoRoutes\nIpExt: 0\n"),
    RangeError,
    "Cannot read ListenOverflows",
  );
});

function open(): RawSocket {
  const opened = RawSocket.open();
  assert(opened.ok);
  return opened.socket;
}

if (Deno.build.os === "linux") {
  Deno.test("an accept queue tells how many wait and how many may", () => {
    using listener = open();
    const bound = listener.bind(new SocketAddress("127.0.0.1"));
    assert(bound.ok && listener.listen(3));
    const { localPort: port } = bound;
    const [address, limit] = ["127.0.0.1", 3];
    assertEquals(acceptQueues(port), [{ address, port, waiting: 0, limit }]);
    const clients = [open(), open()];
    try {
      for (const client of clients) assert(client.connectTo(new SocketAddress("127.0.0.1", port)));
      assertEquals(acceptQueues(port), [{ address, port, waiting: 2, limit }]);
    } finally {
      for (const client of clients) client.close();
    }
    const { overflows, drops } = listenCounters();
    assert(0 <= overflows && overflows <= drops, `${overflows} ${drops}`);
  });

  Deno.test("what finds an accept queue full is counted, in its own network alone", async () => {
    await using child = startChild("_full_queue_child.ts", [`--allow-ffi=${libcPath()}`], UNSHARE);
    const { before, after, queue } = await child.next() as Record<string, Record<string, number>>;
    assertEquals(before, { overflows: 0, drops: 0 });
    assertEquals(queue, { waiting: 2, limit: 1 });
    assert(after!.overflows! > 0 && after!.drops! >= after!.overflows!, JSON.stringify(after));
  });
}
