import { ServerProcess } from "../../lib/testing/mod.ts";

const SCRIPT = new URL("../proxy.ts", import.meta.url);
const HOSTNAME = "127.0.0.1";
const encoder = new TextEncoder();

/** One end of a connection, spoken by hand. */
export class Peer implements Disposable {
  readonly #socket: Deno.TcpConn;
  readonly #decoder = new TextDecoder();
  #text = "";
  #ended = false;

  constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
  }

  /** Connects to a port. */
  static async connect(port: number): Promise<Peer> {
    return new Peer(await Deno.connect({ hostname: HOSTNAME, port }));
  }

  /** Sends text. */
  async send(text: string): Promise<void> {
    const bytes = encoder.encode(text);
    for (let sent = 0; sent < bytes.length;) sent += await this.#socket.write(bytes.subarray(sent));
  }

  /** Takes everything up to and including a text. @throws {Error} it never came */
  async until(ending: string): Promise<string> {
    while (!this.#text.includes(ending)) {
      if (!await this.#read()) throw new Error(`The connection ended with ${JSON.stringify(this.#text)}`);
    }
    const end = this.#text.indexOf(ending) + ending.length;
    const taken = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    return taken;
  }

  /** Takes a number of characters. @throws {Error} they never came */
  async take(count: number): Promise<string> {
    while (this.#text.length < count) {
      if (!await this.#read()) throw new Error(`The connection ended ${count - this.#text.length} short`);
    }
    const taken = this.#text.slice(0, count);
    this.#text = this.#text.slice(count);
    return taken;
  }

  /** Takes everything up to the end of the connection. */
  async rest(): Promise<string> {
    while (await this.#read());
    return this.#text;
  }

  async #read(): Promise<boolean> {
    if (this.#ended) return false;
    const buffer = new Uint8Array(65_536);
    // A reset ends a connection as well.
    const size = await this.#socket.read(buffer).catch(() => null);
    if (size === null) this.#ended = true;
    else this.#text += this.#decoder.decode(buffer.subarray(0, size), { stream: true });
    return size !== null;
  }

  /** Says its own end, and goes on reading. */
  closeWrite(): Promise<void> {
    return this.#socket.closeWrite();
  }

  [Symbol.dispose](): void {
    try {
      this.#socket.close();
    } catch {
      // It is closed already.
    }
  }
}

/** What a backend does with a connection. */
export type Behaviour = (peer: Peer, index: number) => Promise<void>;

/** A proxy in a process of its own before a backend that the test plays. */
export class Chain implements AsyncDisposable {
  readonly proxy: ServerProcess;
  readonly #listener: Deno.TcpListener;
  readonly #peers: Peer[] = [];

  private constructor(proxy: ServerProcess, listener: Deno.TcpListener) {
    this.proxy = proxy;
    this.#listener = listener;
  }

  /** Starts both. */
  static async start(behaviour: Behaviour, ...flags: string[]): Promise<Chain> {
    const listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
    try {
      const backend = `${HOSTNAME}:${listener.addr.port}`;
      const chain = new Chain(
        await ServerProcess.start(SCRIPT, { flags: ["--backend", backend, ...flags] }),
        listener,
      );
      chain.#serve(behaviour);
      return chain;
    } catch (error) {
      listener.close();
      throw error;
    }
  }

  async #serve(behaviour: Behaviour): Promise<void> {
    let index = 0;
    for await (const socket of this.#listener) {
      const peer = new Peer(socket);
      this.#peers.push(peer);
      // What the test looks at is the client's side and the counts.
      behaviour(peer, index++).catch(() => {});
    }
  }

  /** Connects a client. */
  client(): Promise<Peer> {
    return Peer.connect(this.proxy.port);
  }

  /** Has a client send something, and takes what it gets until the connection ends. */
  async exchange(text: string): Promise<string> {
    using client = await this.client();
    await client.send(text);
    return await client.rest();
  }

  /** What the proxy has counted. */
  // deno-lint-ignore no-explicit-any -- the shape of its JSON
  async stats(): Promise<any> {
    const response = await fetch(`http://${HOSTNAME}:${this.proxy.port}/__stats`);
    return await response.json();
  }

  /** Waits until the counts are as they should be. @throws {Error} they never were */
  // deno-lint-ignore no-explicit-any -- see `stats`
  async statsUntil(condition: (stats: any) => boolean): Promise<any> {
    for (let tries = 0; tries < 1000; tries++) {
      const stats = await this.stats();
      if (condition(stats)) return stats;
      await new Promise((wake) => setTimeout(wake, 10));
    }
    throw new Error(`The counts stay ${JSON.stringify(await this.stats())}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const peer of this.#peers) peer[Symbol.dispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

/** A backend that answers every request alike. */
export function answering(answer: string): Behaviour {
  return async (peer) => {
    for (;;) {
      await peer.until("\r\n\r\n");
      await peer.send(answer);
    }
  };
}
