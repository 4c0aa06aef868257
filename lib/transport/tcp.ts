import type { Connection } from "./connection.ts";

/** Where a TCP connection goes. */
export interface ConnectTcpOptions {
  /** The address, or a name. A name may stand for several addresses: measure with an address. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
  /** Gives up connecting, which else takes as long as the system tries. A connection that stands stays. */
  readonly signal?: AbortSignal;
}

class TcpConnection implements Connection {
  readonly localPort: number;
  readonly #socket: Deno.TcpConn;
  #open = true;

  constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
    this.localPort = socket.localAddr.port;
  }

  read(into: Uint8Array): Promise<number | null> {
    return this.#socket.read(into);
  }

  async writeAll(bytes: Uint8Array): Promise<void> {
    let written = await this.#socket.write(bytes);
    while (written < bytes.length) written += await this.#socket.write(bytes.subarray(written));
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
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
  const socket = await Deno.connect(options);
  try {
    socket.setNoDelay(true);
  } catch (error) {
    socket.close();
    throw error;
  }
  return new TcpConnection(socket);
}
