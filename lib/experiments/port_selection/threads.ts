import type { Filled } from "./fill_loop.ts";
import type { Arm } from "./plan.ts";

/** The cells that threads share. */
export const FLAG = { ready: 0, go: 1, stop: 2, end: 3 } as const;

/** What a thread is told. */
export interface ThreadOrder {
  /** The arm. */
  readonly arm: Arm;
  /** The seed of its random numbers. */
  readonly seed: number;
  /** The first place that it fills; the number of threads lies between two. */
  readonly first: number;
  /** The shared cells: see {@linkcode FLAG}. */
  readonly flags: SharedArrayBuffer;
}

/** What a thread tells when it is done. */
export interface ThreadReport {
  /** Its connects. */
  readonly filled: Filled;
  /** Whether it made all of them. */
  readonly isDone: boolean;
  /** When it began and ended, in milliseconds on the clock of this machine. */
  readonly startMs: number;
  /** See `startMs`. */
  readonly endMs: number;
}

/** What {@linkcode fillByThreads} is told. */
export interface ThreadOptions {
  /** Random numbers in [0, 1), of which each thread's are seeded. */
  readonly random: () => number;
  /** Stops them. */
  readonly signal: AbortSignal;
}

/** What threads came to together. */
export interface ThreadsFilled {
  /** The connects of all, in the order in which they began. */
  readonly filled: Filled;
  /** The time from the first to begin to the last to end; `null` when they were stopped. */
  readonly elapsedMs: number | null;
}

/**
 * Fills the range of an arm with several threads at once, which contend for the kernel's locks. They live in the
 * network in which the calling thread is, and their sockets are closed at the end.
 *
 * @param arm the arm
 * @param options random numbers, and what stops them
 * @returns what became of every connect
 * @throws {Error} a thread failed
 */
export async function fillByThreads(arm: Arm, { random, signal }: ThreadOptions): Promise<ThreadsFilled> {
  const flags = new SharedArrayBuffer(Object.keys(FLAG).length * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(flags);
  const raise = (flag: number) => {
    Atomics.store(cells, flag, 1);
    Atomics.notify(cells, flag);
  };
  const stop = () => raise(FLAG.stop);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const threads = Array.from({ length: arm.threads }, () => new Thread());
  try {
    for (const [first, thread] of threads.entries()) {
      thread.begin({ arm, first, flags, seed: Math.floor(random() * 2 ** 32) });
    }
    const reports = Promise.all(threads.map(({ report }) => report));
    await Promise.race([allReady(cells, arm.threads), reports]);
    raise(FLAG.go);
    const done = await reports;
    // None closes its sockets while another still looks for a port.
    raise(FLAG.end);
    await Promise.all(threads.map(({ closed }) => closed));
    const startMs = Math.min(...done.map(({ startMs }) => startMs));
    const endMs = Math.max(...done.map(({ endMs }) => endMs));
    const isDone = done.every(({ isDone }) => isDone);
    return { filled: merged(done.map(({ filled }) => filled)), elapsedMs: isDone ? endMs - startMs : null };
  } finally {
    signal.removeEventListener("abort", stop);
    for (const thread of threads) thread[Symbol.dispose]();
  }
}

/** One thread, which tells first what it came to, and then that its sockets are closed. */
class Thread implements Disposable {
  readonly #worker = new Worker(new URL("./thread_main.ts", import.meta.url), { type: "module" });
  readonly #report = Promise.withResolvers<ThreadReport>();
  readonly #closed = Promise.withResolvers<void>();
  readonly report: Promise<ThreadReport> = this.#report.promise;
  readonly closed: Promise<void> = this.#closed.promise;

  begin(order: ThreadOrder): void {
    this.#worker.onmessage = ({ data }: MessageEvent<ThreadReport | null>) => {
      if (data === null) this.#closed.resolve();
      else this.#report.resolve(data);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#report.reject(new Error(`A thread failed: ${event.message}`));
    };
    this.#worker.postMessage(order);
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}

async function allReady(cells: Int32Array, threads: number): Promise<void> {
  for (let ready = 0; ready < threads; ready = Atomics.load(cells, FLAG.ready)) {
    const { async, value } = Atomics.waitAsync(cells as Int32Array<SharedArrayBuffer>, FLAG.ready, ready);
    if (async) await value;
  }
}

/** The connects of all in the order in which they began, numbered anew. */
function merged(parts: readonly Filled[]): Filled {
  const all = parts.flatMap((part) => part.order.map((_, place) => ({ part, place })))
    .sort((left, right) => left.part.startMs[left.place]! - right.part.startMs[right.place]!);
  return {
    order: all.map((_, order) => order),
    startMs: all.map(({ part, place }) => part.startMs[place]!),
    connectMs: all.map(({ part, place }) => part.connectMs[place]!),
    port: all.map(({ part, place }) => part.port[place]!),
    attempts: all.map(({ part, place }) => part.attempts[place]!),
    result: all.map(({ part, place }) => part.result[place]!),
  };
}
