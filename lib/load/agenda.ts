import type { Pacer } from "./pacer.ts";

/** When no more requests begin. */
export interface AgendaOptions {
  /** How long requests begin, in milliseconds. */
  readonly durationMs: number;
  /** How many begin in a closed loop, at most. @default {no bound} */
  readonly requests?: number;
}

/**
 * Which requests of a thread begin, and when: at the times of a pacer (open loop), or whenever a connection is free
 * (closed loop), until none is left or the time is up.
 */
export class Agenda {
  readonly #pacer: Pacer | null;
  readonly #durationMs: number;
  /** Requests of a closed loop that are still to begin. */
  #left: number;

  /**
   * Begins with the first request.
   *
   * @param pacer when requests of an open loop should begin; `null` in a closed loop
   * @param options when no more begin
   */
  constructor(pacer: Pacer | null, { durationMs, requests = Infinity }: AgendaOptions) {
    this.#pacer = pacer;
    this.#durationMs = durationMs;
    this.#left = requests;
  }

  /** When the next request should begin, in milliseconds since the load began; 0 in a closed loop, `Infinity` after the last. */
  get nextMs(): number {
    if (this.#pacer !== null) return this.#pacer.nextMs;
    return this.#left > 0 ? 0 : Infinity;
  }

  /**
   * Whether all that was asked for has begun. Without a bound there is no such time: a load whose last request came
   * early lasts as long as it should, or its rate would be that of a shorter one.
   */
  get isDone(): boolean {
    return this.#pacer === null ? this.#left <= 0 : this.#pacer.isExhausted;
  }

  /**
   * Takes the next request, if its time has come, for a connection that is free.
   *
   * @param nowMs the time, in milliseconds since the load began
   * @returns when it should have begun, in a closed loop now; -1 when none is due
   */
  take(nowMs: number): number {
    if (nowMs < 0 || nowMs >= this.#durationMs) return -1;
    if (this.#pacer === null) return this.#left-- > 0 ? nowMs : -1;
    const dueMs = this.#pacer.nextMs;
    if (dueMs > nowMs) return -1;
    this.#pacer.advance();
    return dueMs;
  }

  /**
   * Passes over the requests of an open loop whose time has come and that nothing was free for.
   *
   * @param nowMs the time, in milliseconds since the load began
   * @returns how many there were
   */
  drop(nowMs: number): number {
    let dropped = 0;
    for (const pacer = this.#pacer; pacer !== null && pacer.nextMs <= nowMs; pacer.advance()) dropped++;
    return dropped;
  }
}
