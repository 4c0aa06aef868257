import type { Phase } from "../../record/mod.ts";
import { classify, describe, fetchPhase } from "../../transport/mod.ts";
import type { CrowdHolder, HolderJob } from "./holder.ts";
import type { Ledger } from "./ledger.ts";
import { openInBursts } from "./open_in_bursts.ts";

/**
 * Makes requests with Deno's own client, whose pool holds what connections it likes: a subject. It does not tell of
 * them; how many there are, the server and the system know.
 */
export class FetchHolder implements CrowdHolder {
  readonly ledger: Ledger;
  readonly #job: HolderJob;
  readonly #client = Deno.createHttpClient({ http1: true, http2: false });
  readonly #abort = new AbortController();
  readonly #waiting = new Set<Promise<void>>();

  /** @param job what it holds: whole requests only */
  constructor(job: HolderJob) {
    this.ledger = job.ledger;
    this.#job = job;
  }

  /** Makes the requests; slow ones are left waiting. */
  async open(): Promise<void> {
    const isSlow = this.#job.plan.behaviour.kind === "slow";
    await openInBursts(this.#job, this.#abort.signal, async (connection) => {
      const answered = this.#request(connection, isSlow);
      this.#waiting.add(answered);
      answered.finally(() => this.#waiting.delete(answered));
      if (!isSlow) await answered;
    });
  }

  /** Gives up what waits, and closes the pool. */
  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.#waiting);
    this.#client.close();
  }

  async #request(connection: number, isSlow: boolean): Promise<void> {
    const { plan: { timeoutMs }, targets, now } = this.#job;
    const { address, port, path } = targets[connection % targets.length]!;
    const host = address.includes(":") ? `[${address}]` : address;
    const signals = [this.#abort.signal];
    if (timeoutMs !== null && !isSlow) signals.push(AbortSignal.timeout(timeoutMs));
    let phase: Phase = "wait";
    try {
      const response = await fetch(`http://${host}:${port}${path}`, {
        client: this.#client,
        redirect: "manual",
        signal: AbortSignal.any(signals),
      });
      this.ledger.answered(connection, response.status);
      phase = "receive";
      await response.arrayBuffer();
      this.ledger.opened(connection, now());
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      const failed = classify(error, fetchPhase(describe(error), "http", phase));
      this.ledger.failed(connection, failed.phase, failed.kind);
    }
  }
}
