/** What is asked, with the number under which it is answered. */
export type Numbered<Q> = Q & { readonly id: number };

/** What comes back: of the question with a number, how far it is, its answer, or why there is none. */
export type Reply =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string };

interface Open {
  readonly answered: PromiseWithResolvers<unknown>;
  readonly onProgress: (progress: unknown) => void;
}

/**
 * Questions to a thread or a process, and their answers, which may come in another order. What carries them is
 * someone else's: messages go out by a function, and what comes is handed in.
 *
 * @example
 * ```ts
 * import { Calls } from "./calls.ts";
 * import { assertEquals } from "@std/assert";
 * const calls = new Calls<{ ask: string }>(({ id, ask }) => calls.take({ id, answer: ask.length }));
 * assertEquals(await calls.ask({ ask: "counts" }), 6);
 * ```
 */
export class Calls<Q> {
  readonly #send: (question: Numbered<Q>) => void;
  readonly #open = new Map<number, Open>();
  #last = 0;
  #reason: Error | null = null;

  /**
   * @param send carries a question
   */
  constructor(send: (question: Numbered<Q>) => void) {
    this.#send = send;
  }

  /**
   * Asks.
   *
   * @param question what is asked
   * @param onProgress hears how far it is. @default {nobody hears}
   * @returns the answer
   * @throws {Error} there is none, or nobody answers any more
   */
  ask(question: Q, onProgress: (progress: unknown) => void = () => {}): Promise<unknown> {
    if (this.#reason !== null) return Promise.reject(this.#reason);
    const id = ++this.#last;
    const answered = Promise.withResolvers<unknown>();
    this.#open.set(id, { answered, onProgress });
    this.#send({ ...question, id });
    return answered.promise;
  }

  /**
   * Takes what has come back.
   *
   * @param reply what it is; nobody waits for one with an unknown number
   */
  take(reply: Reply): void {
    const open = this.#open.get(reply.id);
    if (open === undefined) return;
    if ("progress" in reply) return open.onProgress(reply.progress);
    this.#open.delete(reply.id);
    if ("error" in reply) open.answered.reject(new Error(reply.error));
    else open.answered.resolve(reply.answer);
  }

  /**
   * Gives up all that is open and will be asked: whoever answered has gone.
   *
   * @param reason why
   */
  end(reason: Error): void {
    this.#reason ??= reason;
    for (const { answered } of this.#open.values()) answered.reject(this.#reason);
    this.#open.clear();
  }
}
