import { type Connection, connectTcp } from "../../transport/mod.ts";

/** How long a connection to this machine is waited for before it counts as lost, in milliseconds. */
const PATIENCE_MS = 250;

/** More attempts than it takes to fill the shortest accept queue of any system. */
const MOST_ATTEMPTS = 10;

/** How many attempts in a row must come no further: one alone may have been slow. */
const LOST_ATTEMPTS = 2;

/**
 * A port that neither accepts nor refuses: nobody takes connections from its accept queue, and as that is full
 * the system drops every further SYN. A client that connects there learns nothing until it gives up itself, or
 * the system does for it, on Linux after tcp_syn_retries.
 *
 * Source: tcp(7), tcp_abort_on_overflow; Linux, `tcp_conn_request`.
 */
export class BlackHole implements Disposable {
  /** The address. */
  readonly hostname = "127.0.0.1";
  /** The port. */
  readonly port: number;
  readonly #listener: Deno.Listener;
  readonly #filling: readonly Connection[];

  private constructor(listener: Deno.Listener, port: number, filling: readonly Connection[]) {
    this.#listener = listener;
    this.port = port;
    this.#filling = filling;
  }

  /**
   * Fills the accept queue of a new port, until a connection comes no further.
   *
   * @returns the port; `null` where the system takes or refuses every connection
   */
  static async open(): Promise<BlackHole | null> {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
    const { port } = listener.addr;
    const filling: Connection[] = [];
    let lost = 0;
    for (let attempt = 0; attempt < MOST_ATTEMPTS && lost < LOST_ATTEMPTS; attempt++) {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      try {
        filling.push(await connectTcp({ hostname: "127.0.0.1", port, signal }));
        lost = 0;
      } catch {
        if (!signal.aborted) break;
        lost++;
      }
    }
    if (lost === LOST_ATTEMPTS) return new BlackHole(listener, port, filling);
    close(listener, filling);
    return null;
  }

  /** Closes the port. Whoever waits there is reset. */
  [Symbol.dispose](): void {
    close(this.#listener, this.#filling);
  }
}

function close(listener: Deno.Listener, filling: readonly Connection[]): void {
  for (const connection of filling) connection.close();
  listener.close();
}
