import type { Clock } from "./clock.ts";
import { Flight } from "./_flight.ts";

/**
 * The requests under way, and one timer for all of them: each may take as long as any other, so that their time
 * is up in the order in which they began.
 */
export class Flights {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #active = new Set<Flight>();
  readonly #spare: Flight[] = [];
  #cancelTimer: (() => void) | null = null;

  /**
   * @param clock time
   * @param timeoutMs how long each may take
   */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * A request begins.
   *
   * @param wanted ends it once nobody wants it any more
   */
  begin(wanted: AbortSignal | undefined): Flight {
    const flight = this.#spare.pop() ?? new Flight(() => this.#clock.now());
    flight.begin(this.#clock.now(), wanted);
    this.#active.add(flight);
    if (this.#cancelTimer === null) this.#arm(this.#timeoutMs);
    return flight;
  }

  /** It is over, for whatever reason. */
  finish(flight: Flight): void {
    this.#active.delete(flight);
    flight.finish();
    if (flight.ended === null) this.#spare.push(flight);
  }

  /** Ends all of them. */
  endAll(reason: unknown): void {
    this.#cancelTimer?.();
    for (const flight of this.#active) flight.end({ reason });
  }

  /** The timer stays when a request is over, for the next one. */
  #arm(delayMs: number): void {
    this.#cancelTimer = this.#clock.after(() => {
      this.#cancelTimer = null;
      const nowMs = this.#clock.now();
      for (const flight of this.#active) {
        const leftMs = flight.startMs + this.#timeoutMs - nowMs;
        if (leftMs > 0) return this.#arm(leftMs);
        flight.end("timeout");
      }
    }, delayMs);
  }
}
