import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { cannotListen, requireRight } from "./program.ts";

/**
 * Listens with `node:net`. Unlike a `Deno.TcpConn`, whose close sends a FIN before anything else, its sockets
 * can send a reset alone (`resetAndDestroy`) and tell a reset that comes from an end. They stay open after the
 * other side's end, and read nothing before they are asked to.
 *
 * @param hostname the address
 * @param port the port; 0 lets the system choose
 * @param onConnection takes a connection
 * @returns the port
 * @throws {CannotRunHereError} it cannot listen there
 */
export async function listenTcp(
  hostname: string,
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<number> {
  await requireRight("listen on", hostname);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, onConnection);
  try {
    server.listen(port, hostname);
    await once(server, "listening");
  } catch (error) {
    throw cannotListen(hostname, port, error);
  }
  return (server.address() as AddressInfo).port;
}
