import { assert, assertEquals } from "@std/assert";
import { PinnedBytes } from "./pinned_bytes.ts";
import { RawSocket } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";

function open(): RawSocket {
  const opened = RawSocket.open();
  assert(opened.ok);
  return opened.socket;
}

if (Deno.build.os !== "windows") {
  Deno.test("PinnedBytes: what one sends another receives, as often as is wanted", () => {
    using listener = open();
    const bound = listener.bind(new SocketAddress("127.0.0.1"));
    assert(bound.ok && listener.listen(1));
    using client = open();
    assert(client.connectTo(new SocketAddress("127.0.0.1", bound.localPort)));
    const accepted = listener.accept();
    assert(accepted.ok);
    using server = accepted.socket;

    const greeting = Uint8Array.of(1, 2, 3);
    const sent = new PinnedBytes(greeting);
    const received = new PinnedBytes(16);
    // What was pinned is a copy.
    greeting.fill(9);
    for (let round = 0; round < 3; round++) {
      assertEquals([sent.sendTo(client), received.receiveFrom(server)], [3, 3]);
      assertEquals([...received.bytes.subarray(0, 4)], [1, 2, 3, 0]);
    }
    sent.bytes[0] = 7;
    sent.sendTo(client);
    received.receiveFrom(server);
    assertEquals([...received.bytes.subarray(0, 3)], [7, 2, 3]);
    client.close();
    assertEquals(received.receiveFrom(server), 0);
  });
}
