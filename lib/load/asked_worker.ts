import { Calls, type Reply } from "./calls.ts";

/** A thread that answers questions: a Worker behind {@linkcode Calls}. */
export class AskedWorker<Q> implements Disposable {
  readonly #worker: Worker;
  readonly #calls: Calls<Q>;

  /**
   * Starts it.
   *
   * @param module its main module
   */
  constructor(module: URL) {
    this.#worker = new Worker(module, { type: "module" });
    this.#calls = new Calls((question) => this.#worker.postMessage(question));
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#calls.take(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#calls.end(new Error(`A thread that made load failed: ${event.message}`));
    };
  }

  /**
   * Asks.
   *
   * @param question what is asked
   * @param onProgress hears how far it is. @default {nobody hears}
   * @returns the answer
   * @throws {Error} there is none, or the thread has failed
   */
  ask(question: Q, onProgress?: (progress: unknown) => void): Promise<unknown> {
    return this.#calls.ask(question, onProgress);
  }

  /** Ends it at once. A descriptor that it has opened outlives it. */
  [Symbol.dispose](): void {
    this.#worker.terminate();
    this.#calls.end(new TypeError("Cannot ask thread as it has ended"));
  }
}
