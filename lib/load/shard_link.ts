import { describe } from "../transport/mod.ts";
import { Calls, type Reply } from "./calls.ts";
import { LineConnection } from "./line_connection.ts";
import { BEAT_MS, type ShardQuestion } from "./shard_protocol.ts";

/**
 * How many beats of a shard may be missed. Making text of a long report holds one up for seconds, as does a machine
 * with many threads for each processor. One that is silent for longer than that is stopped or hangs, and the run, whose
 * time is bounded, would lose what the others did by waiting for it.
 */
const MISSED_BEATS = 15;

/** Options of {@linkcode ShardLink.connect}. */
export interface ShardLinkOptions {
  /** Gives up connecting. */
  readonly signal: AbortSignal;
  /** How often it is looked whether the shard has said something, in milliseconds. @default {as often as it does} */
  readonly lookMs?: number;
}

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
  /** Looks since the shard has last said something. */
  #missed = 0;
  #looking: ReturnType<typeof setInterval> | undefined;

  private constructor() {}

  /**
   * Connects to a shard process; one that cannot be reached is lost from the beginning, and one that is silent for
   * long is lost then.
   *
   * @param address where it listens
   * @param options what gives it up
   * @returns the link
   */
  static async connect({ hostname, port }: ShardAddress, options: ShardLinkOptions): Promise<ShardLink> {
    const { signal, lookMs = BEAT_MS } = options;
    const link = new ShardLink();
    try {
      const connection = new LineConnection(await Deno.connect({ hostname, port, signal }));
      link.#connection = connection;
      link.#reading = link.#read(connection);
      link.#looking = setInterval(() => link.#look(connection), lookMs);
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
      for await (const message of connection.messages()) {
        this.#missed = 0;
        this.#calls.take(message as Reply);
      }
      this.#lose("its control connection ended");
    } catch (error) {
      this.#lose(`it said what cannot be understood: ${describe(error)}`);
    }
  }

  /** Counts looks and not time: while this process is stopped itself, nobody is silent. */
  #look(connection: LineConnection): void {
    if (++this.#missed <= MISSED_BEATS) return;
    this.#lose("it has said nothing for long: it is stopped, or hangs");
    // Should it wake up, it ends what it does.
    connection[Symbol.dispose]();
  }

  #lose(reason: string): void {
    clearInterval(this.#looking);
    this.#lost ??= reason;
    this.#calls.end(new Error(reason));
  }

  /** Ends the connection, and with it all that was begun over it. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#looking);
    this.#connection?.[Symbol.dispose]();
    await this.#reading;
  }
}
