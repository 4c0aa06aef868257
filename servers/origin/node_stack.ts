import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Counters } from "./counters.ts";
import type { Site } from "./site.ts";

/** A signal that aborts when the client leaves before its response is done. */
function departure(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

async function respond(
  site: Site,
  counters: Counters,
  connection: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  const answer = await site.answer({
    method: request.method ?? "",
    target: request.url ?? "",
    clientPort: request.socket.remotePort ?? 0,
    connection,
    get signal() {
      return departure(response);
    },
  }, counters);
  const headers: Record<string, string | number> = {
    "content-type": answer.type,
    "content-length": answer.body.length,
  };
  if (answer.allow !== undefined) headers.allow = answer.allow;
  response.writeHead(answer.status, headers).end(answer.body);
}

/**
 * Serves a site at one port with `node:http`. Its time limits are off, so that, as with `Deno.serve`, it
 * never closes an idle connection by itself: a connection that is kept lasts from one round to the next.
 *
 * @returns the port
 */
export async function listenNode(site: Site, hostname: string, port: number): Promise<number> {
  const counters = new Counters(site.seesConnections);
  const connections = new WeakMap<Socket, number>();
  const server = createServer((request, response) => {
    respond(site, counters, connections.get(request.socket)!, request, response);
  });
  server.keepAliveTimeout =
    server.headersTimeout =
    server.requestTimeout =
    server.timeout =
      0;
  server.on("connection", (socket: Socket) => {
    connections.set(socket, counters.connect());
    counters.meet(socket.remoteAddress ?? "", socket.remotePort ?? 0);
    socket.once("close", () => counters.disconnect());
  });
  server.listen(port, hostname);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  site.watch(address.port, counters);
  return address.port;
}
