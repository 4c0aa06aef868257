import { encodeMessage, ZmtpPeer, type ZmtpSocketType } from "./zmtp.ts";

const READ_BYTES = 256 * 1024;

/** A ZMTP connection over TCP. */
export class ZmtpSocket implements Disposable {
  readonly #conn: Deno.TcpConn;
  readonly #peer: ZmtpPeer;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #inbox: (readonly Uint8Array[])[] = [];

  private constructor(conn: Deno.TcpConn, peer: ZmtpPeer) {
    this.#conn = conn;
    this.#peer = peer;
    this.#writer = conn.writable.getWriter();
  }

  /**
   * Connects and greets.
   *
   * @param type what this side is
   * @param hostname the address
   * @param port the port
   * @throws {Deno.errors.ConnectionRefused} nothing listens there
   * @throws {Error} what listens there does not speak ZMTP
   */
  static async connect(type: ZmtpSocketType, hostname: string, port: number): Promise<ZmtpSocket> {
    const conn = await Deno.connect({ hostname, port });
    const socket = new ZmtpSocket(conn, new ZmtpPeer(type));
    try {
      conn.setNoDelay(true);
      await socket.#writer.write(socket.#peer.opening());
      while (!socket.#peer.ready) {
        if (!await socket.#read()) throw new Error("Cannot use ZMTP connection as the other side closed it");
      }
      return socket;
    } catch (error) {
      socket[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Sends a message.
   *
   * @param parts its parts
   */
  async send(parts: readonly Uint8Array[]): Promise<void> {
    await this.#writer.write(encodeMessage(parts));
  }

  /**
   * The messages that come, until either side closes.
   *
   * @throws {Error} the stream is torn
   */
  async *messages(): AsyncGenerator<readonly Uint8Array[]> {
    do {
      for (let parts = this.#inbox.shift(); parts; parts = this.#inbox.shift()) yield parts;
    } while (await this.#read());
  }

  /** Closes the connection. */
  [Symbol.dispose](): void {
    try {
      this.#conn.close();
    } catch {
      // A write that failed has closed it already.
    }
  }

  /** Takes what has come; `false` at the end of the stream. */
  async #read(): Promise<boolean> {
    const buffer = new Uint8Array(READ_BYTES);
    const count = await this.#conn.read(buffer).catch(whenClosed);
    if (count === null) return false;
    const { messages, toSend } = this.#peer.receive(buffer.subarray(0, count));
    this.#inbox.push(...messages);
    for (const bytes of toSend) await this.#writer.write(bytes);
    return true;
  }
}

/** To whoever reads, a connection that was closed here or reset there has ended. */
function whenClosed(error: unknown): null {
  const expected = [Deno.errors.BadResource, Deno.errors.Interrupted, Deno.errors.ConnectionReset];
  if (expected.some((kind) => error instanceof kind)) return null;
  throw error;
}
