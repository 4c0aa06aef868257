import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Bench, flush } from "./_testing.ts";
import type { Lease, Origin, PoolOptions } from "./options.ts";

const ORIGINS: readonly Origin[] = [{ hostname: "a.test", port: 80 }, { hostname: "b.test", port: 80 }];

/** Something that happens to a pool. A number picks one of those that there are. */
type Step =
  | { readonly kind: "acquire"; readonly pick: number }
  | { readonly kind: "release"; readonly pick: number; readonly reusable: boolean }
  | { readonly kind: "replace" | "leave" | "succeed" | "refuse" | "end"; readonly pick: number }
  | { readonly kind: "advance" | "skip"; readonly ms: number }
  | { readonly kind: "close" };

const pick = fc.nat({ max: 20 });
const ms = fc.integer({ min: 1, max: 60 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("acquire" as const), pick }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("succeed" as const), pick }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("release" as const),
      pick,
      reusable: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("replace", "leave", "refuse", "end"), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("advance", "skip"), ms }) },
);
const limit = (min: number) => fc.constantFrom(min, 1, 2, 3, Infinity);
const options: fc.Arbitrary<Partial<PoolOptions>> = fc.record({
  lifetimeMs: fc.constantFrom(50, 120, Infinity),
  lifetimeJitter: fc.constantFrom(0, 0.5),
  idleTimeoutMs: fc.constantFrom(30, Infinity),
  maxIdlePerOrigin: limit(0),
  maxPerOrigin: limit(1),
  maxWaiting: limit(0),
  watchIdle: fc.boolean(),
  random: fc.constant(() => 0.5),
});

/** A request, and what became of it. */
interface Asked {
  readonly origin: Origin;
  readonly controller: AbortController;
  outcome: "pending" | "lent" | "rejected";
}

/** Puts a pool through a sequence of steps and looks after each at what must always hold. */
class Trial {
  readonly #bench: Bench;
  readonly #asked: Asked[] = [];
  readonly #held: { readonly lease: Lease; readonly origin: Origin }[] = [];

  constructor(options: Partial<PoolOptions>) {
    this.#bench = new Bench(options);
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#take(step);
      await flush();
      this.#check();
    }
    this.#bench.pool.close();
    for (const opening of [...this.#bench.openings]) opening.succeed();
    for (const { lease } of this.#held.splice(0)) lease.release(true);
    await flush();
    this.#check();
    assertEquals(this.#asked.filter(({ outcome }) => outcome === "pending"), []);
    assert(this.#bench.connections.every(({ closed }) => closed), "a connection was left open");
    assertEquals(this.#bench.clock.delaysMs, []);
  }

  async #take(step: Step): Promise<void> {
    const { pool, clock, openings, connections } = this.#bench;
    const chosen = <T>(from: readonly T[]) => "pick" in step ? from[step.pick % from.length] : undefined;
    switch (step.kind) {
      case "acquire": {
        const origin = chosen(ORIGINS)!;
        this.#follow(origin, (signal) => pool.acquire(origin, { signal }));
        break;
      }
      case "release":
        this.#let(step.pick)?.lease.release(step.reusable);
        break;
      case "replace": {
        const held = this.#let(step.pick);
        if (held) this.#follow(held.origin, (signal) => held.lease.replace({ signal }));
        break;
      }
      case "leave":
        chosen(this.#asked.filter(({ outcome }) => outcome === "pending"))?.controller.abort();
        break;
      case "succeed":
        chosen(openings)?.succeed();
        break;
      case "refuse":
        chosen(openings)?.refuse();
        break;
      case "end":
        chosen(connections.filter(({ closed }) => !closed))?.end();
        break;
      case "advance":
        await clock.advance(step.ms);
        break;
      case "skip":
        clock.passUnnoticed(step.ms);
        break;
      case "close":
        pool.close();
    }
  }

  /** Gives up a lease that is held. */
  #let(pick: number) {
    return this.#held.splice(pick % this.#held.length, 1)[0];
  }

  #follow(origin: Origin, ask: (signal: AbortSignal) => Promise<Lease>): void {
    const asked: Asked = { origin, controller: new AbortController(), outcome: "pending" };
    this.#asked.push(asked);
    ask(asked.controller.signal).then((lease) => {
      asked.outcome = "lent";
      this.#held.push({ lease, origin });
    }, () => asked.outcome = "rejected");
  }

  #check(): void {
    const { pool, openings, connections } = this.#bench;
    const { maxPerOrigin, maxIdlePerOrigin, maxWaiting } = pool.limits;
    const { opened, busy, idle, waiting, retired } = pool.counts;
    const gone = Object.values(retired).reduce((sum, count) => sum + count);
    assertEquals([opened, busy + idle + gone], [connections.length, connections.length]);
    assertEquals([busy, gone], [this.#held.length, connections.filter(({ closed }) => closed).length]);
    assertEquals(new Set(this.#held.map(({ lease }) => lease.id)).size, busy, "a connection is lent twice");
    assert(this.#held.every(({ lease }) => !connections[lease.id - 1]!.closed), "a busy connection was cut");
    for (const { hostname } of ORIGINS) {
      const ofOrigin = ({ address }: { readonly address: string }) => address === hostname;
      const open = connections.filter((connection) => ofOrigin(connection) && !connection.closed).length;
      const lent = this.#held.filter(({ origin }) => origin.hostname === hostname).length;
      const opening = openings.filter(ofOrigin).length;
      const pending = this.#asked.filter(({ origin, outcome }) =>
        origin.hostname === hostname && outcome === "pending"
      ).length;
      assert(open + opening <= maxPerOrigin, "there are more connections than may be");
      assert(open - lent <= maxIdlePerOrigin, "more connections are idle than may be");
      assert(pending <= opening + maxWaiting, "more wait than may");
      if (pending > opening) {
        assertEquals([open - lent, open + opening], [0, maxPerOrigin], "somebody waits without need");
      }
    }
    const pending = this.#asked.filter(({ outcome }) => outcome === "pending").length;
    assert(waiting <= pending && pending <= waiting + openings.length, "somebody is forgotten");
  }
}

Deno.test("whatever happens to a pool, its limits hold, its counts add up, and nobody is forgotten", async () => {
  await fc.assert(
    fc.asyncProperty(
      options,
      fc.array(step, { minLength: 20, maxLength: 80, size: "max" }),
      fc.boolean(),
      async (options, steps, close) => {
        await new Trial(options).run(
          close ? [...steps.slice(0, 30), { kind: "close" }, ...steps.slice(30)] : steps,
        );
      },
    ),
    { numRuns: 200 },
  );
});
