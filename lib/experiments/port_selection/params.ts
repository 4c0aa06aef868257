import { choice, integer, list, type ParamsOf } from "../../record/mod.ts";
import { STRATEGIES } from "./strategies.ts";
import { windowSize } from "./window.ts";

/** What a run may measure beside what it was asked for, to tell what the difference comes from. */
export const COMPARISONS = ["low", "sources", "family", "windows", "none"] as const;

/** The parameters. */
export const params = {
  strategies: list(choice(STRATEGIES, { default: "plain", help: "a strategy" }), {
    default: STRATEGIES,
    help: "ways in which sockets come to their ports, each in a namespace of its own",
  }),
  ports: integer({
    min: 64,
    max: 64_512,
    default: 16_000,
    quick: 2000,
    help: "size of the private port range; all of it is filled",
  }),
  low: integer({ min: 1024, max: 65_472, default: 9024, help: "first port of the range" }),
  window: windowSize({
    default: "1.77%",
    help: "part of the range that strategy window connects from: ports, or a share of the range",
  }),
  sources: integer({ min: 1, max: 2, default: 1, help: "source addresses, used in turn" }),
  family: choice(["ipv4", "ipv6"], { default: "ipv4", help: "addresses of the connections" }),
  concurrent: integer({
    min: 1,
    max: 16,
    default: 1,
    help: "threads that connect at once; above 1 every strategy is measured with one thread too",
  }),
  compare: list(choice(COMPARISONS, { default: "none", help: "a comparison" }), {
    default: ["low", "sources", "family", "windows"],
    help: "arms beside the strategies: the low port moved by one, other number of sources, other family, " +
      "windows of other sizes; or none",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
