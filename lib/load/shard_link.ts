import { describe } from "../transport/mod.ts";
import { Calls, type Reply } from "./calls.ts";
import { LineConnection } from "./line_connection.ts";
import type { ShardQuestion } from "./shard_protocol.ts";

/** Where a shard process takes control connections. */
export interface ShardAddress {
  /** The address. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
}

/** The control connection to a shard process. */
export class ShardLink implements AsyncDisposable {
  readonly #calls = new Calls<ShardQuestion>((question) => this.#connection?.send(question));
  #connection: LineConnection | null = null;
  #reading: Promise<void> = Promise.resolve();
  #lost: string | null = null;

  private constructor() {}

  /**
   * Connects to a shard process; one that cannot be reached is lost from the beginning.
   *
   * @param address where it listens
   * @param signal gives up connecting
   * @returns the link
   */
  static async connect({ hostname, port }: ShardAddress, signal: AbortSignal): Promise<ShardLink> {
    const link = new ShardLink();
    try {
      const connection = new LineConnection(await Deno.connect({ hostname, port, signal }));
      link.#connection = connection;
      link.#reading = link.#read(connection);
    } catch (error) {
      link.#lose(`it cannot be reached: ${describe(error)}`);
    }
    return link;
  }

  /** Why nobody answers any more, a clause; `null` while somebody does. */
  get lost(): string | null {
    return this.#lost;
  }

  /**
   * Asks.
   *
   * @param question what is asked
   * @param onProgress hears how far it is. @default {nobody hears}
   * @returns the answer
   * @throws {Error} there is none, or the shard has gone
   */
  ask(question: ShardQuestion, onProgress?: (progress: unknown) => void): Promise<unknown> {
    return this.#calls.ask(question, onProgress);
  }

  async #read(connection: LineConnection): Promise<void> {
    try {
      for await (const message of connection.messages()) this.#calls.take(message as Reply);
      this.#lose("its control connection ended");
    } catch (error) {
      this.#lose(`it said what cannot be understood: ${describe(error)}`);
    }
  }

  #lose(reason: string): void {
    this.#lost ??= reason;
    this.#calls.end(new Error(reason));
  }

  /** Ends the connection, and with it all that was begun over it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection?.[Symbol.dispose]();
    await this.#reading;
  }
}
