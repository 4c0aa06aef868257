import { CannotRunHereError } from "../record/mod.ts";
import { listenChannel, receiveMessage, sendMessage } from "./_descriptor_messages.ts";
import { ANSWER, COMMAND, holderName } from "./_holder_protocol.ts";
import { POLL, socketCalls } from "./_socket_calls.ts";
import { socketConstants } from "./_socket_constants.ts";
import { libc } from "./libc.ts";

const POLL_BYTES = 8;
const READY_AT = 6;
const NO_LIMIT_MS = -1;

/** After how long another try is made to let a process in for which there was no descriptor, in milliseconds. */
const RETRY_MS = 100;

/**
 * Holds sockets for other processes: the other side of a {@linkcode Holder}. A process that leaves, or dies,
 * loses what was held for it.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 */
export class HolderService {
  /** The name under which it listens, with the `@` by which a name without a file is known. */
  readonly name: string;
  readonly #listener: number;
  /** The sockets held for each process, by the descriptor of the channel to it. */
  readonly #held = new Map<number, number[]>();
  /** Whether a process waits at the door that could not be let in: its knock stays, and would wake for ever. */
  #isCrowded = false;

  /**
   * Begins to listen, in the network namespace of the calling thread.
   *
   * @param pid the id by which it is found. @default {this process's}
   * @throws {CannotRunHereError} another process listens under this name
   * @throws {UnsupportedError} this system cannot pass sockets on
   */
  constructor(pid: number = Deno.pid) {
    const name = holderName(pid);
    const listener = listenChannel(name);
    if (listener === null) {
      throw new CannotRunHereError(
        `Cannot hold sockets as @${name} is taken`,
        "End the other holder of this id",
      );
    }
    this.name = `@${name}`;
    this.#listener = listener;
  }

  /** Serves, and does not end by itself. */
  async serve(): Promise<never> {
    for (;;) {
      for (const descriptor of await this.#ready()) {
        if (descriptor === this.#listener) this.#welcome();
        else this.#answer(descriptor);
      }
    }
  }

  /** Waits in a thread of its own, so that this one stays free, until something can be taken. */
  async #ready(): Promise<number[]> {
    const descriptors = [...(this.#isCrowded ? [] : [this.#listener]), ...this.#held.keys()];
    // Held here until the other thread has written into it.
    const watched = new DataView(new ArrayBuffer(POLL_BYTES * descriptors.length));
    descriptors.forEach((descriptor, index) => {
      watched.setInt32(index * POLL_BYTES, descriptor, true);
      watched.setInt16(index * POLL_BYTES + 4, POLL.in, true);
    });
    await libc().poll(watched, BigInt(descriptors.length), this.#isCrowded ? RETRY_MS : NO_LIMIT_MS);
    this.#isCrowded = false;
    return descriptors.filter((_, index) => watched.getInt16(index * POLL_BYTES + READY_AT, true) !== 0);
  }

  #welcome(): void {
    const { accept4 } = socketCalls();
    const channel = accept4?.(this.#listener, null, null, socketConstants().closeOnExec ?? 0) ?? -1;
    if (channel >= 0) this.#held.set(channel, []);
    else this.#isCrowded = true;
  }

  #answer(channel: number): void {
    const message = receiveMessage(channel);
    if (message === null) {
      this.#letGo(channel);
      socketCalls().close(channel);
      this.#held.delete(channel);
      return;
    }
    const { words: [command], descriptors, isTruncated } = message;
    if (command === COMMAND.letGo) this.#letGo(channel);
    // A part of a batch is no use to its sender, who still has them all.
    if (isTruncated) closeAll(descriptors);
    else this.#held.get(channel)?.push(...descriptors);
    sendMessage(channel, [isTruncated ? ANSWER.full : ANSWER.done, this.#held.get(channel)?.length ?? 0]);
  }

  #letGo(channel: number): void {
    closeAll(this.#held.get(channel)?.splice(0) ?? []);
  }
}

function closeAll(descriptors: readonly number[]): void {
  const { close } = socketCalls();
  for (const descriptor of descriptors) close(descriptor);
}
