/// <reference lib="deno.worker" />
// The other side of `transport_bench.ts`: answers every read with the same small response, as cheaply as a server
// can, so that the client's share of the time is large.

const RESPONSE = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok",
);

async function serve(socket: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(4096);
  try {
    while (await socket.read(buffer) !== null) await socket.write(RESPONSE);
  } catch {
    // A client that leaves at the end of a round may reset the connection.
  } finally {
    socket.close();
  }
}

const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
self.postMessage(listener.addr.port);
for await (const socket of listener) serve(socket);
