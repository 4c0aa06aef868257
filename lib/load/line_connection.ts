import { LineSplitter } from "../system/mod.ts";

const encoder = new TextEncoder();

/** Messages over a TCP connection, a line of JSON each. */
export class LineConnection implements Disposable {
  readonly #socket: Deno.TcpConn;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;

  /**
   * @param socket the connection, which it closes
   */
  constructor(socket: Deno.TcpConn) {
    socket.setNoDelay(true);
    this.#socket = socket;
    this.#writer = socket.writable.getWriter();
    // That it broke is told to whoever reads from it.
    this.#writer.closed.catch(() => {});
  }

  /**
   * Sends a message, in order.
   *
   * @param message anything that JSON can carry
   */
  send(message: unknown): void {
    this.#writer.write(encoder.encode(`${JSON.stringify(message)}\n`)).catch(() => {/* as above */});
  }

  /**
   * What comes, until the connection ends or breaks.
   *
   * @returns the messages
   */
  async *messages(): AsyncGenerator<unknown> {
    const splitter = new LineSplitter();
    const pieces = this.#socket.readable.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      // Whether in order or not, it has ended.
      const { value, done } = await pieces.read().catch(() => ({ value: undefined, done: true as const }));
      if (done) return;
      for (const line of splitter.take(value)) yield JSON.parse(line);
    }
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    try {
      this.#socket.close();
    } catch {
      // The streams have closed it.
    }
  }
}
