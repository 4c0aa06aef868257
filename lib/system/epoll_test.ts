import { assert, assertEquals, assertThrows } from "@std/assert";
import { Epoll } from "./epoll.ts";
import { RawSocket } from "./raw_socket.ts";
import { SocketAddress } from "./socket_address.ts";
import { UnsupportedError } from "./unsupported_error.ts";

const LONG_MS = 10_000;
const [LISTENER, CLIENT, SERVER] = [1, 2, 4_294_967_295];

function open(): RawSocket {
  const opened = RawSocket.open({ blocking: false });
  assert(opened.ok);
  return opened.socket;
}

if (Deno.build.os === "linux") {
  Deno.test("a connection, its bytes and its end are each told of by token", () => {
    using epoll = new Epoll(4);
    const ready = (): Record<number, string[]> => {
      const count = epoll.wait(LONG_MS);
      return Object.fromEntries(Array.from({ length: count }, (_, index) => [epoll.token(index), [
        ...(epoll.isReadable(index) ? ["readable"] : []),
        ...(epoll.isWritable(index) ? ["writable"] : []),
        ...(epoll.hasError(index) ? ["error"] : []),
      ]]));
    };
    using listener = open();
    const bound = listener.bind(new SocketAddress("127.0.0.1"));
    assert(bound.ok && listener.listen(8));
    epoll.add(listener, LISTENER, { readable: true });
    assertEquals(epoll.wait(0), 0);

    using client = open();
    client.connectTo(new SocketAddress("127.0.0.1", bound.localPort));
    epoll.add(client, CLIENT, { writable: true });
    assertEquals(ready(), { [LISTENER]: ["readable"], [CLIENT]: ["writable"] });
    assertThrows(() => epoll.add(client, CLIENT, { readable: true }), Error, "Cannot watch socket");

    const accepted = listener.accept();
    assert(accepted.ok);
    using server = accepted.socket;
    epoll.change(client, CLIENT, { readable: true });
    epoll.add(server, SERVER, { readable: true });
    assertEquals(epoll.wait(0), 0);

    client.send(Uint8Array.of(1));
    assertEquals(ready(), { [SERVER]: ["readable"] });
    // The same by a wait that is no whole number of milliseconds.
    assertEquals([epoll.wait(LONG_MS + 0.5), epoll.token(0)], [1, SERVER]);
    epoll.remove(server);
    assertEquals([epoll.wait(0), epoll.wait(0.5), epoll.wait(1.5)], [0, 0, 0]);

    server.setOption("lingerSeconds", 0);
    server.close();
    assertEquals(ready(), { [CLIENT]: ["readable", "error"] });
    assertEquals(client.takeError(), "reset");
  });
} else {
  Deno.test("where there is no epoll, what is missing is told", () => {
    assertEquals(assertThrows(() => new Epoll(), UnsupportedError).missing, "epoll_create1(2)");
  });
}
