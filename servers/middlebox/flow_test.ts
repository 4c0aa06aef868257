import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { connect } from "node:net";
import { until } from "../../lib/testing/mod.ts";
import { listenTcp } from "../_shared/tcp_listener.ts";
import { Flow } from "./flow.ts";

const HOSTNAME = "127.0.0.1";

Deno.test("Flow counts what came in time, though the loop was late to read it", async () => {
  const upstream = Deno.listen({ hostname: HOSTNAME, port: 0 });
  const { resolve: carry, promise: carried } = Promise.withResolvers<Flow>();
  const { resolve: close, promise: closed } = Promise.withResolvers<void>();
  const start = performance.now();
  const port = await listenTcp(HOSTNAME, 0, (client) => {
    const server = connect({ host: HOSTNAME, port: upstream.addr.port, allowHalfOpen: true });
    const now = () => performance.now() - start;
    carry(new Flow(client, server, { idleMs: 100, forget: "reset", now, onClosed: close }));
  });
  const client = connect({ host: HOSTNAME, port });
  await once(client, "connect");
  const server = await upstream.accept();
  const flow = await carried;
  client.write("x");
  const buffer = new Uint8Array(8);
  assertEquals(await server.read(buffer), 1);
  // Handed to the system at once; nothing is read before the limit has passed.
  const writing = server.write(buffer.subarray(0, 1));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  await until(() => flow.record.bytesDown > 0 || flow.record.forgottenMs !== null);
  assertEquals([flow.record.forgottenMs, flow.record.bytesDown, await writing], [null, 1, 1]);
  client.destroy();
  server.close();
  await closed;
  upstream.close();
});
