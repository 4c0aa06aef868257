import { type Failure, failure } from "../record/mod.ts";
import { type EngineJob, MOST_OPENING, RETRY_PAUSE_MS } from "./engine.ts";

/** How a request of a {@linkcode Lane} ended. */
export interface LaneEnd {
  /** The status code; `null` when no whole head came. */
  readonly status: number | null;
  /** How many bytes of body came. */
  readonly bodyBytes: number;
  /** What went wrong; `null` when nothing did. */
  readonly failure: Failure | null;
}

/** What makes the requests of one slot, one after another. */
export interface Lane {
  /** Whether its next request opens a connection; `null` when the client does not tell. */
  readonly fresh: boolean | null;
  /**
   * Makes a request. Whatever the network does is in what it resolves to.
   *
   * @param opened is called when a connection that is opened for it stands or has failed
   */
  request(opened: () => void): Promise<LaneEnd>;
  /** No request follows at once. */
  rest(): void;
  /** Closes its connection: a request that is on its way fails soon. */
  cancel(): void;
}

/** How long the driver waits before it asks whether the load goes on, in milliseconds. */
const LOOK_MS = 100;

/**
 * Drives lanes whose requests are asynchronous: gives each request of the agenda to a lane that is free, ends those
 * that take too long, and stops when the load goes on no more. There is one timer for all lanes, as one for each
 * request would take a good part of the time of a short exchange.
 */
export class SlotDriver {
  readonly #job: EngineJob;
  readonly #lanes: readonly Lane[];
  readonly #timeoutMs: number;
  /** The lanes that are free; the last one is taken first, so that few connections are kept busy. */
  readonly #free: number[];
  /** By slot, when its request has to be over: `Infinity` when none is on its way, `-Infinity` once it was ended for that. */
  readonly #deadlineMs: Float64Array;
  readonly #over = Promise.withResolvers<void>();
  /** Connections that are being opened, and how many may be. */
  #opening = 0;
  readonly #mostOpening: number;
  /** Requests whose lane has not come back yet. */
  #running = 0;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer rings. */
  #wakeMs = -Infinity;

  /**
   * @param job what there is to do
   * @param lanes one for each slot
   */
  constructor(job: EngineJob, lanes: readonly Lane[]) {
    this.#job = job;
    this.#lanes = lanes;
    this.#timeoutMs = job.plan.timeoutMs ?? Infinity;
    this.#mostOpening = job.plan.arrivals.loop === "closed" ? MOST_OPENING : Infinity;
    this.#free = Array.from(lanes.keys()).reverse();
    this.#deadlineMs = new Float64Array(lanes.length).fill(Infinity);
  }

  /** Makes the load, and comes back when every lane has. */
  async run(): Promise<void> {
    this.#wake();
    await this.#over.promise;
  }

  readonly #wake = (): void => {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const nowMs = this.#job.now();
    if (!this.#job.goesOn(nowMs)) return this.#end();
    // What begins now need not hurry a timer that is about to be set.
    this.#wakeMs = -Infinity;
    this.#begin(nowMs);
    const overdueMs = this.#cancelOverdue(nowMs);
    this.#sleep(nowMs, Math.min(nowMs + LOOK_MS, this.#job.plan.durationMs, overdueMs, this.#nextMs()));
  };

  #sleep(nowMs: number, untilMs: number): void {
    this.#wakeMs = untilMs;
    this.#timer = setTimeout(this.#wake, Math.max(0, untilMs - nowMs));
  }

  /** When a free lane has something to do. */
  #nextMs(): number {
    return this.#free.length > 0 ? this.#job.agenda.nextMs : Infinity;
  }

  /** Begins what is due, as far as lanes are free. */
  #begin(nowMs: number): void {
    while (this.#free.length > 0 && this.#opening < this.#mostOpening) {
      const intendedMs = this.#job.agenda.take(nowMs);
      if (intendedMs < 0) return;
      this.#serve(this.#free.pop()!, intendedMs, nowMs).catch(this.#over.reject);
    }
  }

  /** Counts a connection that is opened, and gives what ends that. */
  #opens(lane: Lane): () => void {
    if (lane.fresh !== true) return () => {};
    this.#opening++;
    let isOpening = true;
    return () => {
      if (!isOpening) return;
      isOpening = false;
      this.#opening--;
      if (!this.#isOver) this.#begin(this.#job.now());
    };
  }

  /** Makes one request after another as long as one is due. */
  async #serve(slot: number, firstIntendedMs: number, firstStartMs: number): Promise<void> {
    const { tally, now } = this.#job;
    const lane = this.#lanes[slot]!;
    this.#running++;
    let [intendedMs, startMs] = [firstIntendedMs, firstStartMs];
    while (intendedMs >= 0) {
      tally.begin(slot, intendedMs, startMs, lane.fresh);
      const deadlineMs = this.#deadlineMs[slot] = startMs + this.#timeoutMs;
      if (deadlineMs < this.#wakeMs) this.#hurry(startMs, deadlineMs);
      const { status, bodyBytes, failure: failed } = await lane.request(this.#opens(lane));
      if (this.#isOver) break;
      startMs = now();
      const expired = this.#deadlineMs[slot] === -Infinity;
      this.#deadlineMs[slot] = Infinity;
      if (failed === null) {
        tally.answer(slot, status!, bodyBytes, startMs);
      } else {
        const { phase, kind } = expired ? failure(failed.phase, "timed-out") : failed;
        tally.fail(slot, phase, kind, startMs);
        if (phase === "connect") {
          setTimeout(() => this.#release(slot), RETRY_PAUSE_MS);
          break;
        }
      }
      intendedMs = this.#job.agenda.take(startMs);
      if (intendedMs < 0) this.#release(slot);
    }
    this.#running--;
    if (this.#isOver && this.#running === 0) this.#over.resolve();
    else if (this.#running === 0 && this.#job.agenda.isDone) this.#wake();
  }

  /** A lane is free: it takes what has become due, or the timer wakes it. */
  #release(slot: number): void {
    if (this.#isOver) return;
    this.#lanes[slot]!.rest();
    this.#free.push(slot);
    const { nextMs } = this.#job.agenda;
    if (nextMs < this.#wakeMs) this.#hurry(this.#job.now(), nextMs);
  }

  /** Has the timer wake earlier than it would. */
  #hurry(nowMs: number, untilMs: number): void {
    clearTimeout(this.#timer);
    this.#sleep(nowMs, untilMs);
  }

  /** Ends what has taken too long, and tells when the next request will have. */
  #cancelOverdue(nowMs: number): number {
    if (this.#timeoutMs === Infinity) return Infinity;
    let earliestMs = Infinity;
    for (let slot = 0; slot < this.#deadlineMs.length; slot++) {
      const deadlineMs = this.#deadlineMs[slot]!;
      if (deadlineMs === -Infinity) continue;
      if (deadlineMs > nowMs) {
        if (deadlineMs < earliestMs) earliestMs = deadlineMs;
        continue;
      }
      this.#deadlineMs[slot] = -Infinity;
      this.#lanes[slot]!.cancel();
    }
    return earliestMs;
  }

  /** Closes every connection; what is on its way stays unfinished. */
  #end(): void {
    this.#isOver = true;
    for (const lane of this.#lanes) lane.cancel();
    if (this.#running === 0) this.#over.resolve();
  }
}
