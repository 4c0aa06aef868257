import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
} from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { Counters } from "./counters.ts";
import type { Listen, ListenOptions } from "./listen.ts";
import type { Site } from "./site.ts";

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;
type Handle = (request: Request, response: Response) => void;

/** The time limits of a server of HTTP/1.1, in milliseconds. */
type TimeLimits = Record<"keepAliveTimeout" | "headersTimeout" | "requestTimeout" | "timeout", number>;

/** The client's end of a connection. */
interface Client {
  readonly connection: number;
  readonly port: number;
}

/** A signal that aborts when the client leaves before its response is done. */
function departure(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

/** The protocol of a request, as ALPN names it. */
function protocolOf({ httpVersion }: Request): string {
  return httpVersion === "2.0" ? "h2" : `http/${httpVersion}`;
}

async function respond(
  site: Site,
  counters: Counters,
  client: Client,
  request: Request,
  response: Response,
): Promise<void> {
  request.resume();
  const answer = await site.answer({
    method: request.method ?? "",
    target: request.url ?? "",
    protocol: protocolOf(request),
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
  // Its overloads differ for the two kinds of response, and what is given fits both.
  (response as ServerResponse).writeHead(answer.status, headers).end(answer.body);
}

function createNodeServer({ identity, alpn }: ListenOptions, handle: Handle): Server & TimeLimits {
  if (identity === null) return createServer(handle);
  const { key, certificate: cert } = identity;
  if (alpn === "http/1.1") return createTlsServer({ key, cert, ALPNProtocols: [alpn] }, handle);
  // What serves HTTP/1.1 beside HTTP/2 has the limits too, though its type does not say so.
  return createSecureServer({ key, cert, allowHTTP1: true }, handle) as unknown as Server & TimeLimits;
}

/**
 * Serves with `node:http`, `node:https` or `node:http2`. Its time limits are off, so that, as with `Deno.serve`,
 * it never closes an idle connection by itself: a connection that is kept lasts from one round to the next.
 * Only an idle timeout that is asked for is set.
 */
export const listenNode: Listen = async (site, options) => {
  const counters = new Counters(site.sees);
  // HTTP/2 hides the socket of a request: there it is its session that tells connections apart.
  const clients = new WeakMap<Socket | Http2Session, Client>();
  const server = createNodeServer(options, (request, response) => {
    const session = "stream" in request ? request.stream.session : undefined;
    respond(site, counters, clients.get(session ?? request.socket)!, request, response);
  });
  server.headersTimeout = server.requestTimeout = server.timeout = 0;
  server.keepAliveTimeout = options.idleTimeoutMs ?? 0;

  const greet = (end: Socket | Http2Session, { remoteAddress = "", remotePort = 0 }: Socket) => {
    clients.set(end, { connection: counters.connect(), port: remotePort });
    counters.meet(remoteAddress, remotePort);
    end.once("close", () => counters.disconnect());
  };
  if (options.identity === null) {
    server.on("connection", (socket: Socket) => greet(socket, socket));
  } else {
    server.on("secureConnection", (socket: TLSSocket) => {
      // node:http and node:https do so by themselves; node:http2 under Deno does not.
      socket.setNoDelay(true);
      counters.shakeHands(socket.isSessionReused());
      if (socket.alpnProtocol !== "h2") greet(socket, socket);
    });
    server.on("session", (session: ServerHttp2Session) => greet(session, session.socket));
  }
  server.listen(options.port, options.hostname);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  site.watch(address.port, counters);
  return address.port;
};
