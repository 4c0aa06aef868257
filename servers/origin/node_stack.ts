import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { checkingIntervalMs, type Defaults } from "./brakes.ts";
import { Counters } from "./counters.ts";
import type { Identity } from "./identity.ts";
import type { Listen } from "./listen.ts";
import type { Site } from "./site.ts";

/** The client's end of a connection. */
interface Client {
  readonly connection: number;
  readonly port: number;
}

/** A signal that aborts when the client leaves before its response is done. */
function departure(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

async function respond(
  site: Site,
  counters: Counters,
  client: Client,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  const answer = await site.answer({
    method: request.method ?? "",
    target: request.url ?? "",
    protocol: `http/${request.httpVersion}`,
    clientPort: client.port,
    connection: client.connection,
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

function createNodeServer(
  identity: Identity | null,
  options: ServerOptions,
  handle: RequestListener,
): HttpServer | HttpsServer {
  if (identity === null) return createServer(options, handle);
  const { key, certificate: cert } = identity;
  return createTlsServer({ ...options, key, cert, ALPNProtocols: ["http/1.1"] }, handle);
}

/** Where node has a 0, or nothing, for what is off. */
function limit(value: number | null | undefined): number | null {
  return value || null;
}

/**
 * The limits of a server that nobody has set any of.
 *
 * @returns what node:http comes with
 */
export function nodeDefaults(): Defaults {
  // Node's documentation has the interval as an option alone; the server keeps it under the same name.
  const server: HttpServer & { connectionsCheckingInterval?: number } = createServer();
  return {
    headerTimeoutMs: limit(server.headersTimeout),
    requestTimeoutMs: limit(server.requestTimeout),
    idleTimeoutMs: limit(server.keepAliveTimeout),
    maxConnections: limit(server.maxConnections),
    checkingIntervalMs: limit(server.connectionsCheckingInterval),
    socketTimeoutMs: limit(server.timeout),
  };
}

/**
 * Serves with `node:http` or `node:https`. HTTP/2 is left to `Deno.serve`: `node:http2` under Deno 2.9 aborts the
 * process as clients leave (an assertion of nghttp2), which a run would take for the network's fault.
 *
 * Its time limits are off, so that, as with `Deno.serve`, it never closes an idle connection by itself: a
 * connection that is kept lasts from one round to the next. Only brakes that are asked for are set.
 *
 * Of these the limit of connections is kept here: with node's own `maxConnections` under Deno 2.9 the event `drop`
 * does not come, and nobody could count what was refused.
 */
export const listenNode: Listen = async (site, { hostname, port, identity, brakes, backlog, isShared }) => {
  const counters = new Counters(site.sees);
  const clients = new WeakMap<Socket, Client>();
  const checkingInterval = checkingIntervalMs(brakes);
  const options = checkingInterval === null ? {} : { connectionsCheckingInterval: checkingInterval };
  const server = createNodeServer(identity, options, (request, response) => {
    respond(site, counters, clients.get(request.socket)!, request, response);
  });
  server.headersTimeout = brakes.headerTimeoutMs ?? 0;
  server.requestTimeout = brakes.requestTimeoutMs ?? 0;
  server.keepAliveTimeout = brakes.idleTimeoutMs ?? 0;
  server.timeout = 0;

  const greet = (socket: Socket) => {
    if (brakes.maxConnections !== null && counters.active! >= brakes.maxConnections) {
      counters.refuse();
      socket.destroy();
      return;
    }
    const { remoteAddress = "", remotePort = 0 } = socket;
    clients.set(socket, { connection: counters.connect(), port: remotePort });
    counters.meet(remoteAddress, remotePort);
    socket.once("close", () => counters.disconnect());
  };
  if (identity === null) server.on("connection", greet);
  else {
    server.on("secureConnection", (socket: TLSSocket) => {
      counters.shakeHands(socket.isSessionReused(), socket.getProtocol());
      greet(socket);
    });
  }
  server.listen({ host: hostname, port, reusePort: isShared, ...(backlog !== null && { backlog }) });
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  site.watch(address.port, counters);
  return address.port;
};
