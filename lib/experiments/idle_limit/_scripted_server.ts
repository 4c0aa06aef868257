import { createServer, type Socket } from "node:net";
import { once } from "node:events";

/** A short answer that leaves the connection open. */
export const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** A request as a server sees it. */
export interface Arrival {
  readonly socket: Socket;
  /** Its bytes. */
  readonly head: string;
  /** Which connection it came on, from 1. */
  readonly connection: number;
  /** How long the connection had been idle. */
  readonly idleMs: number;
}

/** A server that does with a request what a test wants, and counts what comes. */
export class ScriptedServer implements AsyncDisposable {
  readonly heads: string[] = [];
  accepted = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer();

  static async serve(answer: (arrival: Arrival) => void): Promise<ScriptedServer> {
    const script = new ScriptedServer();
    script.#server.on("connection", (socket) => {
      const connection = ++script.accepted;
      const beginMs = performance.now();
      script.#sockets.add(socket);
      socket.on("error", () => {/* the probe has left */});
      socket.on("close", () => script.#sockets.delete(socket));
      socket.on("data", (bytes) => {
        const head = bytes.toString();
        script.heads.push(head);
        answer({ socket, head, connection, idleMs: performance.now() - beginMs });
      });
    });
    script.#server.listen(0, "127.0.0.1");
    await once(script.#server, "listening");
    return script;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/some/path?x=1`;
  }

  /** Listens no more, and does something to each connection. */
  stop(end: (socket: Socket) => void): void {
    this.#server.close();
    for (const socket of this.#sockets) end(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening || this.#sockets.size > 0) await closed;
  }
}
