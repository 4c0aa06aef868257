import type { Connection } from "./kernel/connection.ts";
import { decodeMessage } from "./kernel/wire.ts";
import { ZmtpPeer } from "./kernel/zmtp.ts";

/** How often the marker is sent, in milliseconds: a subscription that is not live yet misses the first. */
const MARKER_INTERVAL_MS = 50;

/** How long a marker is waited for, in milliseconds. */
const MOST_MS = 2000;

/**
 * The kernel's outputs as front ends see them: a subscriber beside theirs.
 *
 * The kernel hands outputs on through a queue that is not ordered with the end of a cell: what is still in
 * it when the cell ends is lost to stock front ends, or shown under the next cell. A marker that takes the
 * same way tells when everything before it has left.
 */
class OutputQueue {
  readonly #seen = new Map<string, () => void>();

  private constructor(connection: Connection, socket: Deno.TcpConn) {
    this.#listen(connection, socket).catch(() => {
      // Without a subscription a marker is not seen, and waiting for it ends by time.
    });
  }

  static async open(): Promise<OutputQueue> {
    const connection = await ownConnection();
    const socket = await Deno.connect({ hostname: connection.ip, port: connection.iopub_port });
    return new OutputQueue(connection, socket);
  }

  /** Waits until every output so far has left the kernel. */
  async drain(): Promise<void> {
    const marker = `connlab-${crypto.randomUUID()}`;
    const seen = new Promise<void>((resolve) => this.#seen.set(marker, resolve));
    // Front ends pass over an update of a display that they do not know.
    const send = () =>
      Deno.jupyter.display({ "text/plain": "" }, { raw: true, display_id: marker, update: true });
    const timer = setInterval(send, MARKER_INTERVAL_MS);
    const late = setTimeout(() => this.#seen.get(marker)?.(), MOST_MS);
    await send();
    await seen;
    clearInterval(timer);
    clearTimeout(late);
    this.#seen.delete(marker);
  }

  async #listen(connection: Connection, socket: Deno.TcpConn): Promise<void> {
    const peer = new ZmtpPeer("SUB");
    const writer = socket.writable.getWriter();
    await writer.write(peer.opening());
    for await (const bytes of socket.readable) {
      const { messages, toSend } = peer.receive(bytes);
      for (const part of toSend) await writer.write(part);
      for (const message of messages) {
        const { content } = decodeMessage(message, connection.key);
        const { display_id } = (content.transient ?? {}) as { display_id?: string };
        if (display_id !== undefined) this.#seen.get(display_id)?.();
      }
    }
  }
}

/** Where this kernel listens: the connection file that its front end started it with. */
async function ownConnection(): Promise<Connection> {
  const args = (await Deno.readTextFile("/proc/self/cmdline")).split("\0");
  return JSON.parse(await Deno.readTextFile(args[args.indexOf("--conn") + 1]!));
}

let queue: Promise<OutputQueue> | undefined;

/**
 * Waits until every output so far has left this kernel. Where the kernel's channel cannot be found (there
 * is no `/proc`), it waits for a moment.
 */
export async function drainOutputs(): Promise<void> {
  queue ??= OutputQueue.open();
  try {
    await (await queue).drain();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, MARKER_INTERVAL_MS));
  }
}
