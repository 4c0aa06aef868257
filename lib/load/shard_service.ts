import type { Numbered, Reply } from "./calls.ts";
import { crowdShard } from "./crowd/crowd_shard.ts";
import type { HeldCrowd } from "./generator.ts";
import { LineConnection } from "./line_connection.ts";
import { loadShard } from "./load_shard.ts";
import type { LoadTarget } from "./plan.ts";
import { BEAT_MS, type LoadProgress, type ShardQuestion } from "./shard_protocol.ts";

/**
 * Does what comes over a control connection: makes parts of loads, holds parts of crowds. When the connection ends,
 * it ends all of them.
 *
 * Needs what {@linkcode localGenerator} needs: targets that the process may not connect to are refused, though sockets
 * of the C library would reach them.
 *
 * @param socket the control connection, which it closes
 * @returns once the connection has ended and nothing is left of what was begun over it
 */
export async function serveShard(socket: Deno.TcpConn): Promise<void> {
  using connection = new LineConnection(socket);
  await using service = new ShardService();
  const send = (reply: Reply) => connection.send(reply);
  // No question has this number: it is heard, and nobody waits for it.
  const beating = setInterval(() => send({ id: 0, progress: null }), BEAT_MS);
  try {
    for await (const message of connection.messages()) {
      const { id, ...question } = message as Numbered<ShardQuestion>;
      service.answer(question as ShardQuestion, (progress) => send({ id, progress }))
        .then((answer = null) => send({ id, answer }))
        // Also of an answer that is too long for a text: millions of rows.
        .catch((error) => send({ id, error: error instanceof Error ? error.message : String(error) }));
    }
  } finally {
    clearInterval(beating);
  }
}

/** What was begun over one control connection. */
class ShardService implements AsyncDisposable {
  readonly #stops = new Map<number, AbortController>();
  readonly #crowds = new Map<number, HeldCrowd>();
  readonly #underWay = new Set<Promise<unknown>>();

  /** Answers a question. */
  async answer(question: ShardQuestion, onProgress: (progress: unknown) => void): Promise<unknown> {
    const { name } = question;
    switch (question.ask) {
      case "load":
        return await this.#begin(
          name,
          question.shard.targets,
          (signal) =>
            loadShard(question.plan, question.shard, {
              signal,
              onProgress: (elapsedMs, sent) => onProgress({ elapsedMs, sent } satisfies LoadProgress),
            }),
        );
      case "crowd":
        return await this.#begin(name, question.shard.targets, async (signal) => {
          this.#crowds.set(name, await crowdShard(question.plan, question.shard, { signal, onProgress }));
        });
      case "stop":
        return this.#stops.get(name)?.abort();
      case "counts":
        return await this.#crowd(name).counts();
      case "rows":
        return await this.#crowd(name).rows();
      case "close":
        await this.#crowds.get(name)?.[Symbol.asyncDispose]();
        this.#crowds.delete(name);
    }
  }

  #crowd(name: number): HeldCrowd {
    const crowd = this.#crowds.get(name);
    if (crowd === undefined) throw new TypeError("Cannot ask crowd as it is not held");
    return crowd;
  }

  async #begin<T>(
    name: number,
    targets: readonly LoadTarget[],
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController();
    this.#stops.set(name, stop);
    const done = requireRights(targets).then(() => work(stop.signal));
    this.#underWay.add(done);
    try {
      return await done;
    } finally {
      this.#underWay.delete(done);
      this.#stops.delete(name);
    }
  }

  /** Ends everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops.values()) stop.abort();
    await Promise.allSettled(this.#underWay);
    await Promise.all([...this.#crowds.values()].map((crowd) => crowd[Symbol.asyncDispose]()));
  }
}

/** Refuses what this process may not connect to. */
async function requireRights(targets: readonly LoadTarget[]): Promise<void> {
  for (const { address, port } of targets) {
    const host = `${address.includes(":") ? `[${address}]` : address}:${port}`;
    const { state } = await Deno.permissions.query({ name: "net", host });
    if (state !== "granted") throw new Error(`Cannot connect to ${host} as the right to is missing`);
  }
}
