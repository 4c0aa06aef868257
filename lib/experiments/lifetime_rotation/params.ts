import { choice, duration, integer, list, number, type Param, type ParamsOf } from "../../record/mod.ts";

/** The parts, in the order in which they are told. */
export const PARTS = ["rotation", "shared", "blue-green", "sweep"] as const;

/** One of {@linkcode PARTS}. */
export type Part = (typeof PARTS)[number];

/** The parameters. */
export const params = {
  part: choice([...PARTS, "all"], { default: "all", help: "what to measure" }),
  lifetime: withoutZero(duration({
    default: "2.5s",
    max: "10m",
    help: "how long a connection may be used (rotation, blue-green, the reconnects of sweep)",
  })),
  requests: integer({ min: 2, max: 1000, default: 7, help: "requests of rotation, one an interval" }),
  interval: duration({
    default: "1s",
    min: "10ms",
    max: "1m",
    help: "time from one request to the next (rotation, blue-green)",
  }),
  speed: number({
    min: 1,
    max: 100,
    default: 1,
    quick: 10,
    help: "how many times as fast lifetimes and intervals pass, for a quick look; not in the costs of sweep",
  }),
  clients: integer({
    min: 1,
    max: 20,
    default: 3,
    help: "clients that share a pool (shared); connections of each pool whose name moves (blue-green)",
  }),
  connections: integer({
    min: 1,
    max: 1000,
    default: 50,
    help: "connections that are opened at once to see when they reconnect (sweep)",
  }),
  sweepJitters: list(number({ min: 0, max: 1, default: 0, help: "" }), {
    default: [0, 0.1, 0.3],
    help: "shares of its lifetime by which each connection's is shortened at random (sweep)",
  }),
  sweepLifetimes: list(duration({ default: "1ms", max: "1s", help: "" }), {
    default: [1, 3, 10, 30, 100],
    quick: [1, 10, 30],
    help: "lifetimes whose cost is measured, and none, in real time (sweep)",
  }),
  rounds: integer({
    min: 1,
    max: 100,
    default: 10,
    quick: 5,
    help: "rounds of that measurement, after one that is discarded (sweep)",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;

/**
 * Whether a part is measured.
 *
 * @param values the parameters
 * @param asked the part
 */
export function includes({ part }: Pick<Values, "part">, asked: Part): boolean {
  return part === asked || part === "all";
}

/** Pools elsewhere take a lifetime of 0 as "never reuse" or as "no limit": the message says why it is neither. */
function withoutZero(lifetime: Param<number>): Param<number> {
  return {
    ...lifetime,
    parse(given) {
      const outcome = lifetime.parse(given);
      if (!("must" in outcome && outcome.must.startsWith(">="))) return outcome;
      return { must: `${outcome.must}, as with 0 every connection would be closed after its first request` };
    },
  };
}
