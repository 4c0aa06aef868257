import type { Connection } from "./connection.ts";

/** What a connection has besides its socket. */
export type Handshakes = Pick<Connection, "connectMs" | "tlsMs" | "protocol">;

/** A connection over a socket of the runtime, plain or with TLS. */
export class SocketConnection implements Connection {
  readonly localPort: number;
  readonly connectMs: number;
  readonly tlsMs: number | null;
  readonly protocol: string | null;
  readonly #socket: Deno.TcpConn | Deno.TlsConn;
  #open = true;

  constructor(socket: Deno.TcpConn | Deno.TlsConn, { connectMs, tlsMs, protocol }: Handshakes) {
    this.#socket = socket;
    this.localPort = socket.localAddr.port;
    this.connectMs = connectMs;
    this.tlsMs = tlsMs;
    this.protocol = protocol;
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
