import { SocketConnection } from "./_socket_connection.ts";
import type { Connection } from "./connection.ts";

/** Where a TCP connection goes. */
export interface ConnectTcpOptions {
  /** The address, or a name. A name may stand for several addresses: measure with an address. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
  /** Gives up connecting, which else takes as long as the system tries. A connection that stands stays. */
  readonly signal?: AbortSignal;
  /** The monotonic clock, in milliseconds. @default {performance.now} */
  readonly now?: () => number;
}

/**
 * Opens a TCP connection with Nagle's algorithm off (TCP_NODELAY, tcp(7)), so that a request leaves at
 * once. Needs `--allow-net` of the address.
 *
 * @param options where it goes
 * @returns the connection
 * @throws {RangeError} the port is out of range
 * @throws what Deno throws when a connection fails, or the reason of the signal
 *
 * @example
 * ```ts ignore
 * using connection = await connectTcp({ hostname: "127.0.0.1", port: 8080 });
 * await connection.writeAll(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"));
 * ```
 */
export async function connectTcp(options: ConnectTcpOptions): Promise<Connection> {
  const { socket, connectMs } = await openSocket(options);
  return new SocketConnection(socket, { connectMs, tlsMs: null, protocol: null });
}

/** A socket that is connected, and how long that took. */
export interface OpenSocket {
  /** The socket, with Nagle's algorithm off. */
  readonly socket: Deno.TcpConn;
  /** How long it took, in milliseconds. */
  readonly connectMs: number;
}

/**
 * Connects a socket, and turns Nagle's algorithm off.
 *
 * @param options where it goes
 * @returns the socket
 * @throws what {@linkcode connectTcp} throws
 */
export async function openSocket(options: ConnectTcpOptions): Promise<OpenSocket> {
  const { now = () => performance.now() } = options;
  const startMs = now();
  const socket = await Deno.connect(options);
  const connectMs = now() - startMs;
  try {
    socket.setNoDelay(true);
  } catch (error) {
    socket.close();
    throw error;
  }
  return { socket, connectMs };
}
