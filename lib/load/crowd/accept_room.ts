import { acceptQueues } from "../../system/mod.ts";

/**
 * How long nothing may be accepted before more is begun all the same, in milliseconds: a server may have stopped
 * accepting for good, which is to be seen and not waited for.
 */
const STALL_MS = 1000;

/** How old what is known of the queues may be before more is begun on it, in milliseconds. */
const LOOK_MS = 1;

const ANY: readonly string[] = ["0.0.0.0", "::"];

/** Where a server listens. */
interface Listener {
  readonly address: string;
  readonly port: number;
}

/**
 * How many connections may be begun though nobody answers over them: no more at once than wait to be accepted, so
 * that a server that is slower than this client does not lose any. Only the queues of this machine can be looked at:
 * for others there is always room.
 */
export class AcceptRoom {
  readonly #listeners: readonly Listener[];
  readonly #most: number;
  readonly #waitingAt: (listener: Listener) => number;
  #room = 0;
  #lookedMs = -Infinity;
  /** How many waited at the last look, and since when it has been as many. */
  #waiting = -1;
  #sinceMs = 0;

  /**
   * @param listeners where connections go
   * @param most how many may wait in all their queues
   * @param waitingAt how many wait at one. @default {what the system tells}
   */
  constructor(
    listeners: readonly Listener[],
    most: number,
    waitingAt: (listener: Listener) => number = waitingInQueue,
  ) {
    this.#listeners = listeners;
    this.#most = most;
    this.#waitingAt = waitingAt;
  }

  /**
   * Takes the room of one connection.
   *
   * @param nowMs the time, in milliseconds
   * @returns whether there was any
   */
  take(nowMs: number): boolean {
    if (this.#room === 0 && nowMs - this.#lookedMs >= LOOK_MS) {
      this.#room = this.#look(nowMs);
      this.#lookedMs = nowMs;
    }
    if (this.#room === 0) return false;
    this.#room--;
    return true;
  }

  /** What room there is now. */
  #look(nowMs: number): number {
    const waiting = this.#listeners.reduce((sum, listener) => sum + this.#waitingAt(listener), 0);
    if (waiting !== this.#waiting) {
      this.#waiting = waiting;
      this.#sinceMs = nowMs;
    } else if (nowMs - this.#sinceMs >= STALL_MS) {
      this.#sinceMs = nowMs;
      return this.#most;
    }
    return Math.max(0, this.#most - waiting);
  }
}

function waitingInQueue({ address, port }: Listener): number {
  try {
    return acceptQueues(port)
      .filter((queue) => queue.address === address || ANY.includes(queue.address))
      .reduce((sum, { waiting }) => sum + waiting, 0);
  } catch {
    // The system does not tell.
    return 0;
  }
}
