import { MisuseError } from "../../record/mod.ts";
import { defineExperiment, type Experiment } from "../contract.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { armsIn, pausesIn } from "./grid.ts";
import { measure } from "./measure.ts";
import { params, type Values } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";

/** What opening and closing take at most beside the pause, in milliseconds: processes, and each pair. */
const BASE_BUDGET_MS = 10_000;
const PAIR_BUDGET_MS = 10;

/** The first connection of a pair and the one in its place. */
const CONNECTIONS_PER_PAIR = 2;

/** How many pairs can be idle side by side: as many connections as the middlebox keeps, old and new. */
const MOST_PAIRS = 4000;

/** Descriptors beside those of pairs: listeners, connections that are held, requests for counts. */
const SPARE_DESCRIPTORS = 64;

function pairsIn(values: Values, through?: "middlebox"): number {
  const arms = armsIn(values).filter(({ chain }) => through === undefined || chain !== "direct");
  return arms.length * pausesIn(values).length * values.repeats;
}

function descriptorsFor(values: Values, pairs: number, ends: number): number {
  return SPARE_DESCRIPTORS + ends * (CONNECTIONS_PER_PAIR * pairs + 2 * values.repeats);
}

/** What happens to the first request after a pause, when idle limits along the way do not fit. */
const keepAliveMismatch: Experiment = defineExperiment({
  id: "keep-alive-mismatch",
  version: 2,
  title: "Keep-alive limits that do not fit",
  question: "What happens to the first request after a pause, and which idle limit has to change?",
  params,
  tables,
  needs(values) {
    // What cannot be is refused before anything else is worked out.
    const pairs = pairsIn(values);
    if (pairs > MOST_PAIRS) {
      throw new MisuseError(
        `Cannot make ${pairs} pairs of requests as at most ${MOST_PAIRS} can be idle side by side: ` +
          "lower repeats (--repeats), or name fewer pauses (--pauses)",
      );
    }
    return { net: ["127.0.0.1"], namespace: "none" };
  },
  servers(values) {
    const { stack, serverIdle, middleboxIdle, forget } = values;
    const idle = stack === "node" ? ["--idle-timeout", `${serverIdle}ms`] : [];
    const origin = {
      name: "origin",
      flags: ["--stack", stack, "--ports", "2", ...idle],
      descriptors: descriptorsFor(values, pairsIn(values), 1),
    };
    if (middleboxIdle === null) return [origin];
    return [origin, {
      name: "middlebox",
      flags: (before) => {
        const { hostname, ports } = before.origin!;
        const upstream = ["--upstream", `${hostname}:${ports[1]}`];
        return [...upstream, "--idle", `${middleboxIdle}ms`, "--forget", forget];
      },
      descriptors: descriptorsFor(values, pairsIn(values, "middlebox"), 2),
    }];
  },
  budgetMs(values) {
    const longestMs = Math.max(...pausesIn(values));
    // Both requests of a pair may be waited for in vain.
    return BASE_BUDGET_MS + pairsIn(values) * PAIR_BUDGET_MS + longestMs + 2 * values.timeout;
  },
  descriptors: (values) => descriptorsFor(values, pairsIn(values), 1),
  connections: (values) => CONNECTIONS_PER_PAIR * pairsIn(values),
  measure,
  summarize,
  figures,
  claims,
});

export default keepAliveMismatch;
