/**
 * A thread that makes its part of a load, so that nobody else waits for it and it waits for nobody.
 *
 * @module
 */
import { monotonicMs, pause, threadProcessorMs, threadWaitMs } from "../system/mod.ts";
import { Agenda } from "./agenda.ts";
import type { Numbered, Reply } from "./calls.ts";
import type { Engine } from "./engine.ts";
import { Pacer } from "./pacer.ts";
import { firstOf, type LoadClient, type LoadPlan, type LoadTarget, shareOf } from "./plan.ts";
import type { LoadReport } from "./report.ts";
import { Tally } from "./tally.ts";
import { CELL, type SecondCounts, type ThreadOrder, type ThreadQuestion } from "./thread_protocol.ts";

const scope = self as unknown as {
  onmessage: (event: MessageEvent<Numbered<ThreadQuestion>>) => void;
  postMessage(reply: Reply): void;
};

/** Whatever makes the load, of which no other need be loaded. */
const ENGINES: Readonly<Record<LoadClient, () => Promise<Engine>>> = {
  epoll: async () => (await import("./epoll_engine.ts")).epollEngine,
  raw: async () => (await import("./raw_engine.ts")).rawEngine,
  fetch: async () => (await import("./fetch_engine.ts")).fetchEngine,
};

/** How soon a stop is heard before the load begins, in milliseconds. */
const LOOK_MS = 20;
/** Of a shorter load no share of a processor is told, in milliseconds. */
const SHORTEST_SHARE_MS = 200;

let load: ThreadLoad | null = null;

scope.onmessage = ({ data }) => {
  answer(data, (progress) => scope.postMessage({ id: data.id, progress })).then(
    (answer) => scope.postMessage({ id: data.id, answer }),
    (error) =>
      scope.postMessage({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
  );
};

async function answer(
  question: ThreadQuestion,
  tell: (second: SecondCounts) => void,
): Promise<LoadReport | null> {
  if (question.ask === "run") return await load!.run(question.startMs, tell);
  load = await ThreadLoad.prepare(question.order);
  return null;
}

/** The part of a load that falls to this thread. */
class ThreadLoad {
  readonly #order: ThreadOrder;
  readonly #engine: Engine;
  readonly #tally: Tally;
  readonly #agenda: Agenda;
  readonly #targets: readonly LoadTarget[];
  readonly #connections: number;
  readonly #cells: Int32Array;
  /** How many seconds were told; beyond all where none is to be. */
  #told: number;

  private constructor(order: ThreadOrder, engine: Engine, tally: Tally) {
    const { plan, shard, cells } = order;
    const { part, parts } = placeOf(order);
    const first = firstOf(plan.connections, part, parts);
    this.#order = order;
    this.#engine = engine;
    this.#tally = tally;
    this.#agenda = agendaOf(plan, part, parts);
    this.#connections = shareOf(plan.connections, part, parts);
    this.#targets = shard.targets.map((_, index, { length }) => shard.targets[(first + index) % length]!);
    this.#cells = new Int32Array(cells);
    this.#told = order.tellsSeconds ? 0 : Infinity;
  }

  static async prepare(order: ThreadOrder): Promise<ThreadLoad> {
    const { plan, shard, thread } = order;
    const { part, parts } = placeOf(order);
    const slots = shareOf(plan.connections, part, parts);
    const tally = new Tally(plan, { slots, shard: shard.index, thread });
    return new ThreadLoad(order, await ENGINES[plan.client](), tally);
  }

  async run(startMs: number, tell: (second: SecondCounts) => void): Promise<LoadReport> {
    const { plan } = this.#order;
    // Engines look at the clock with every request: the cheaper one counts, where there is a C library.
    const clock = orNull(monotonicMs) === null ? () => performance.now() : monotonicMs;
    const zeroMs = clock() + startMs - sinceEpochMs();
    const now = () => clock() - zeroMs;
    // What is left of the time the engine waits itself, more exactly than a timer of the runtime does.
    while (now() < -LOOK_MS && !this.#isStopped) await pause(LOOK_MS / 2);
    const processorMs = orNull(threadProcessorMs);
    const waitMs = orNull(threadWaitMs);
    await this.#engine({
      plan,
      connections: this.#connections,
      targets: this.#targets,
      agenda: this.#agenda,
      tally: this.#tally,
      now,
      goesOn: (nowMs) => this.#goesOn(nowMs, tell),
    });
    const stoppedMs = now();
    const endMs = Math.max(0, stoppedMs);
    return this.#tally.report({
      startMs,
      endMs: Math.min(endMs, plan.durationMs),
      unsent: this.#agenda.drop(stoppedMs),
      cpuShare: share(processorMs, orNull(threadProcessorMs), endMs),
      waitShare: share(waitMs, orNull(threadWaitMs), endMs),
    });
  }

  get #isStopped(): boolean {
    return Atomics.load(this.#cells, CELL.stop) !== 0;
  }

  #goesOn(nowMs: number, tell: (second: SecondCounts) => void): boolean {
    const { thread, plan } = this.#order;
    Atomics.store(this.#cells, CELL.sent + thread, this.#tally.sent);
    if (this.#isStopped || nowMs >= plan.durationMs) return false;
    // The last second is never over here: what comes a moment late belongs to it.
    while (nowMs >= (this.#told + 1) * 1000) tell(this.#tally.counted(this.#told++));
    return !this.#agenda.isDone || this.#tally.underWay > 0;
  }
}

/** Which of the threads of all shards this one is. */
function placeOf({ plan, shard, thread }: ThreadOrder): { part: number; parts: number } {
  return { part: shard.index * plan.threads + thread, parts: shard.count * plan.threads };
}

function agendaOf({ arrivals, durationMs, requests, seed }: LoadPlan, part: number, parts: number): Agenda {
  if (arrivals.loop === "open") {
    return new Agenda(new Pacer(arrivals, { durationMs, requests, seed, part, parts }), { durationMs });
  }
  return new Agenda(null, {
    durationMs,
    requests: requests === null ? Infinity : shareOf(requests, part, parts),
  });
}

function sinceEpochMs(): number {
  return performance.timeOrigin + performance.now();
}

/** What the system tells; `null` where there is no C library to ask it by. */
function orNull(read: () => number | null): number | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotSupported) return null;
    throw error;
  }
}

function share(beforeMs: number | null, afterMs: number | null, elapsedMs: number): number | null {
  // A shorter load has hardly any time beside that which its thread took to get to it.
  if (beforeMs === null || afterMs === null || elapsedMs < SHORTEST_SHARE_MS) return null;
  return Math.min(1, (afterMs - beforeMs) / elapsedMs);
}
