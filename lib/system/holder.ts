import type { FailureName } from "../record/mod.ts";
import {
  connectChannel,
  type DescriptorMessage,
  MOST_DESCRIPTORS,
  receiveMessage,
  sendMessage,
} from "./_descriptor_messages.ts";
import { ANSWER, COMMAND, holderName } from "./_holder_protocol.ts";
import { socketCalls } from "./_socket_calls.ts";
import { descriptorOf, type RawSocket } from "./raw_socket.ts";
import { setSocketOption } from "./socket_options.ts";

/** How long a holder may take for an answer: letting go of 20,000 sockets takes it part of a second. */
const ANSWER_MS = 10_000;

/** What {@linkcode Holder.hold} gives. */
export type HoldOutcome =
  | {
    /** All of them have been taken over. */
    readonly ok: true;
    /** How many sockets the holder holds for this process. */
    readonly held: number;
  }
  | {
    /** Some have not been taken over, and are still open here. */
    readonly ok: false;
    /** Why: `descriptors-exhausted` when the holder is full, `reset` when it is gone, as after 10 s without an answer. */
    readonly kind: FailureName;
    /** How many sockets the holder holds for this process. */
    readonly held: number;
  };

/**
 * Another process that keeps sockets open in place of this one, which may have no more descriptors than the
 * system grants. The sockets stay in the network namespace in which they were opened. They are closed when
 * the holder is told to let go, when this process ends, and when the holder ends.
 *
 * The holder is found by its name in the network namespace in which it was started: connect to it before the
 * calling thread moves to another one. A call waits, with the whole thread, for the holder's answer.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @example
 * ```ts ignore
 * using holder = Holder.connect(context.servers["holder-1"].pid);
 * enterFreshNetwork();
 * const outcome = holder.hold(sockets);
 * ```
 */
export class Holder implements Disposable {
  #channel: number;
  #held = 0;

  private constructor(channel: number) {
    this.#channel = channel;
  }

  /**
   * Connects to a holder.
   *
   * @param pid its process id
   * @returns the holder
   * @throws {Error} there is none of that id in this network namespace
   * @throws {UnsupportedError} this system cannot pass sockets on
   */
  static connect(pid: number): Holder {
    const channel = connectChannel(holderName(pid));
    if (channel === null) {
      throw new Error(`Cannot hand over sockets as no holder of id ${pid} is in this network namespace`);
    }
    setSocketOption(channel, "receiveTimeoutMs", ANSWER_MS);
    setSocketOption(channel, "sendTimeoutMs", ANSWER_MS);
    return new Holder(channel);
  }

  /** How many sockets it holds for this process. */
  get held(): number {
    return this.#held;
  }

  /**
   * Hands over sockets. Each is closed here once the holder has it.
   *
   * @param sockets open sockets
   * @returns whether all were taken over; those that were not are still open here
   */
  hold(sockets: readonly RawSocket[]): HoldOutcome {
    for (let first = 0; first < sockets.length; first += MOST_DESCRIPTORS) {
      const batch = sockets.slice(first, first + MOST_DESCRIPTORS);
      const answer = this.#ask(COMMAND.hold, batch.map(descriptorOf));
      if (answer === null) return { ok: false, kind: "reset", held: 0 };
      if (answer.words[0] === ANSWER.full) {
        return { ok: false, kind: "descriptors-exhausted", held: this.#held };
      }
      for (const socket of batch) socket.close();
    }
    return { ok: true, held: this.#held };
  }

  /**
   * Has it close all that it holds for this process.
   *
   * @returns how many sockets these were
   */
  letGo(): number {
    const held = this.#held;
    this.#ask(COMMAND.letGo, []);
    return held;
  }

  #ask(command: number, descriptors: readonly number[]): DescriptorMessage | null {
    const sent = sendMessage(this.#channel, [command, descriptors.length], descriptors);
    const answer = sent ? receiveMessage(this.#channel) : null;
    this.#held = answer?.words[1] ?? 0;
    // An answer that comes too late would be taken for that to the next question.
    if (answer === null) this[Symbol.dispose]();
    return answer;
  }

  /** Has it close all that it holds for this process, and leaves it. */
  [Symbol.dispose](): void {
    if (this.#channel < 0) return;
    socketCalls().close(this.#channel);
    this.#channel = -1;
  }
}
