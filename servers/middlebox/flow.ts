import type { Socket } from "node:net";

/** What a middlebox does with a flow that has been idle for too long. */
export const FORGETTINGS = ["reset", "silent", "fin"] as const;

/** One of {@linkcode FORGETTINGS}. */
export type Forgetting = (typeof FORGETTINGS)[number];

/** One end of a flow. */
export type FlowEnd = "client" | "server";

/** What is known of a flow. Times are milliseconds since the middlebox began, on the monotonic clock. */
export interface FlowRecord {
  /** The client's port. */
  readonly clientPort: number;
  /** The port from which the middlebox speaks to the server, which is the client's port there; `null` until then. */
  readonly upstreamPort: number | null;
  /** When it was opened. */
  readonly openedMs: number;
  /** When something last came from either end: bytes, or an end. */
  readonly lastMs: number;
  /** When it was forgotten; `null` while it is known. */
  readonly forgottenMs: number | null;
  /** Who ended it first; `null` while nobody has. The middlebox ends what it forgets. */
  readonly closedBy: FlowEnd | "middlebox" | null;
  /** How: `none` is an end of which nobody was told, or not yet. `null` while nobody has ended it. */
  readonly how: "fin" | "reset" | "none" | null;
  /** Bytes that came from the client and were passed on. */
  readonly bytesUp: number;
  /** Bytes that came from the server and were passed on. */
  readonly bytesDown: number;
}

/** What a {@linkcode Flow} is told. */
export interface FlowOptions {
  /** How long it may be idle, in milliseconds. */
  readonly idleMs: number;
  /** What happens to it then. */
  readonly forget: Forgetting;
  /** The monotonic clock, in milliseconds since the middlebox began. */
  readonly now: () => number;
  /** Called once, when both sockets are closed. */
  readonly onClosed: () => void;
}

/** How long an end of a forgotten flow is kept after its FIN, in milliseconds: `tcp_fin_timeout`, tcp(7). */
const FIN_TIMEOUT_MS = 60_000;

const OTHER: Readonly<Record<FlowEnd, FlowEnd>> = { client: "server", server: "client" };

/**
 * Carries bytes between a client and a server until one of them ends it, or both have said nothing for too
 * long. What a firewall or a load balancer does then differs:
 *
 * - `reset`: it has no state of the flow any more, and says nothing of it. Whatever comes later, from either
 *   end, belongs to no flow that it knows: it is not passed on, and whoever sent it gets a reset. The other
 *   end hears nothing, until it speaks itself.
 * - `silent`: the same, but what comes later is swallowed.
 * - `fin`: it ends both sides in order at the limit.
 */
export class Flow {
  readonly #sockets: Readonly<Record<FlowEnd, Socket>>;
  readonly #options: FlowOptions;
  readonly #bytes: Record<FlowEnd, number> = { client: 0, server: 0 };
  readonly #clientPort: number;
  readonly #openedMs: number;
  #upstreamPort: number | null = null;
  #lastMs: number;
  #forgottenMs: number | null = null;
  #closed: Pick<FlowRecord, "closedBy" | "how"> = { closedBy: null, how: null };
  #open = 2;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param client the client's connection, not read yet
   * @param server the connection to the server, which may not stand yet
   * @param options the limit and what happens then
   */
  constructor(client: Socket, server: Socket, options: FlowOptions) {
    this.#sockets = { client, server };
    this.#options = options;
    this.#clientPort = client.remotePort ?? 0;
    this.#openedMs = this.#lastMs = options.now();
    server.once("connect", () => this.#upstreamPort = server.localPort ?? null);
    this.#carry("client");
    this.#carry("server");
    this.#watch(options.idleMs);
  }

  /** What is known of it by now. */
  get record(): FlowRecord {
    return {
      clientPort: this.#clientPort,
      upstreamPort: this.#upstreamPort,
      openedMs: this.#openedMs,
      lastMs: this.#lastMs,
      forgottenMs: this.#forgottenMs,
      ...this.#closed,
      bytesUp: this.#bytes.client,
      bytesDown: this.#bytes.server,
    };
  }

  #carry(end: FlowEnd): void {
    const socket = this.#sockets[end];
    const other = this.#sockets[OTHER[end]];
    // Bytes are passed on as they come: no delay is added to what the ends do.
    socket.setNoDelay(true);
    socket.on("data", (bytes: Uint8Array) => {
      if (this.#forgottenMs !== null) return this.#answerUnknown(end);
      this.#lastMs = this.#options.now();
      this.#bytes[end] += bytes.length;
      if (!other.write(bytes)) socket.pause();
    });
    other.on("drain", () => {
      this.#lastMs = this.#options.now();
      socket.resume();
    });
    socket.on("end", () => {
      if (this.#forgottenMs !== null) return this.#answerUnknown(end, "end");
      this.#lastMs = this.#options.now();
      this.#close(end, "fin");
      other.end();
    });
    socket.on("error", () => {
      if (this.#forgottenMs !== null) return;
      this.#close(end, "reset");
      other.resetAndDestroy();
    });
    socket.on("close", () => {
      if (--this.#open > 0) return;
      clearTimeout(this.#timer);
      this.#options.onClosed();
    });
    socket.resume();
  }

  #close(closedBy: FlowEnd | "middlebox", how: "fin" | "reset" | "none"): void {
    if (this.#closed.closedBy === null) this.#closed = { closedBy, how };
  }

  #watch(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#leftMs;
      if (leftMs > 0) return this.#watch(leftMs);
      // The loop may be late: what has come by now is read first, and counts.
      setImmediate(() => {
        if (this.#open < 2) return;
        const leftMs = this.#leftMs;
        if (leftMs > 0) this.#watch(leftMs);
        else this.#forget();
      });
    }, delayMs);
  }

  /** How much of its time is left, in milliseconds: all of it while bytes wait to be taken. */
  get #leftMs(): number {
    const { client, server } = this.#sockets;
    if (client.writableLength > 0 || server.writableLength > 0) return this.#options.idleMs;
    return this.#lastMs + this.#options.idleMs - this.#options.now();
  }

  #forget(): void {
    this.#forgottenMs = this.#options.now();
    const sockets = Object.values(this.#sockets);
    if (this.#options.forget === "fin") {
      this.#close("middlebox", "fin");
      for (const socket of sockets) socket.destroySoon();
    } else {
      this.#close("middlebox", "none");
      for (const socket of sockets) if (socket.readableEnded) letGo(socket);
    }
  }

  /** Deals with what comes from an end after the flow was forgotten. */
  #answerUnknown(end: FlowEnd, what: "bytes" | "end" = "bytes"): void {
    const socket = this.#sockets[end];
    if (this.#options.forget === "reset") {
      if (this.#closed.closedBy === "middlebox") this.#closed = { closedBy: "middlebox", how: "reset" };
      socket.resetAndDestroy();
    } else if (what === "end") {
      letGo(socket);
    }
  }
}

/** Gives up an end from which nothing can come any more, when its system has given up too. */
function letGo(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), FIN_TIMEOUT_MS);
  socket.once("close", () => clearTimeout(timer));
}
