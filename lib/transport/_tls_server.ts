import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { IssuedCertificate } from "./certificates.ts";

/** A server for tests of TLS. */
export interface TlsServer extends AsyncDisposable {
  readonly hostname: string;
  readonly port: number;
  /** For each handshake that was completed, whether it resumed a session. */
  readonly resumed: readonly boolean[];
}

/** Answers every request over HTTP/1.1 with `hello`. */
export async function serveTls(
  { key, certificate: cert }: Pick<IssuedCertificate, "key" | "certificate">,
  alpn: readonly string[] = ["http/1.1"],
): Promise<TlsServer> {
  const resumed: boolean[] = [];
  const server = createTlsServer({ key, cert, ALPNProtocols: [...alpn] }, (_, response) => {
    response.writeHead(200, { "content-length": 5 }).end("hello");
  });
  server.on("secureConnection", (socket: TLSSocket) => void resumed.push(socket.isSessionReused()));
  return await listen(server, () => server.closeAllConnections(), resumed);
}

/** Does something with every connection. */
export async function serveSockets(greet: (socket: Socket) => void): Promise<TlsServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    // What the client's leaving does to it is no news.
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
    greet(socket);
  });
  return await listen(server, () => open.forEach((socket) => socket.destroy()));
}

async function listen(server: Server, end: () => void, resumed: boolean[] = []): Promise<TlsServer> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    hostname: "127.0.0.1",
    port,
    resumed,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      end();
      await closed;
    },
  };
}
