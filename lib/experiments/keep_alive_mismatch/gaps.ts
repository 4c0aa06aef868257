import { type Param, parseNumbers, type ParseOutcome } from "../../record/mod.ts";
import { randomSource } from "../../stats/mod.ts";

/** The times between one request and the next: as a process, or as they were seen, in milliseconds. */
export type Gaps = { readonly ratePerSecond: number } | { readonly gapsMs: readonly number[] };

/** Gaps for those who give none: an example, and nobody's own. */
export const EXAMPLE_GAPS: Gaps & { readonly ratePerSecond: number } = { ratePerSecond: 0.2 };

const ACCEPTS =
  "poisson:RATE with requests per second, gaps in seconds separated by commas, or a CSV file of them";
const POISSON = /^poisson:((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)$/i;
const LONGEST_GAP_S = 86_400;
const MOST_GAPS = 10_000;
const DRAWN_GAPS = 2000;
const MS_PER_S = 1000;

function readPoisson(given: string): Gaps | null {
  const ratePerSecond = Number(POISSON.exec(given)?.[1]);
  return ratePerSecond > 0 && ratePerSecond <= 1e6 ? { ratePerSecond } : null;
}

/** Numbers as a list, or as text. */
function numbersIn(given: unknown): ParseOutcome<readonly unknown[]> {
  if (typeof given === "string") return parseNumbers(given);
  return Array.isArray(given) ? { value: given } : { must: ACCEPTS };
}

function readList(given: unknown): ParseOutcome<Gaps> {
  const numbers = numbersIn(given);
  if ("must" in numbers) return numbers;
  const seconds = numbers.value;
  const fits = seconds.every((gap): gap is number =>
    typeof gap === "number" && gap >= 0 && gap <= LONGEST_GAP_S
  );
  if (fits && seconds.length > 0 && seconds.length <= MOST_GAPS) {
    return { value: { gapsMs: seconds.map((gap) => gap * MS_PER_S) } };
  }
  return { must: `1 to ${MOST_GAPS} gaps, each from 0 to ${LONGEST_GAP_S} s` };
}

/**
 * A parameter for the times between requests.
 *
 * @param options default, help
 * @returns the parameter
 */
export function gapsParam(options: { readonly default: Gaps; readonly help: string }): Param<Gaps> {
  return {
    kind: "numbers",
    ...options,
    accepts: ACCEPTS,
    parse(given) {
      if (typeof given !== "string" || !given.startsWith("poisson:")) return readList(given);
      const value = readPoisson(given);
      return value === null ? { must: "poisson:RATE with a rate above 0 and up to 1e6" } : { value };
    },
    format: (value) =>
      "ratePerSecond" in value
        ? `poisson:${value.ratePerSecond}`
        : value.gapsMs.map((gapMs) => gapMs / MS_PER_S),
  };
}

/**
 * The gaps themselves: as they were seen, or drawn from the process.
 *
 * @param gaps what was given
 * @param seed the seed of what is drawn
 * @returns the gaps, in milliseconds
 */
export function drawGaps(gaps: Gaps, seed: number): readonly number[] {
  if ("gapsMs" in gaps) return gaps.gapsMs;
  const random = randomSource(seed);
  return Array.from(
    { length: DRAWN_GAPS },
    () => -Math.log(1 - random()) / gaps.ratePerSecond * MS_PER_S,
  );
}

/**
 * What the gaps are, in words.
 *
 * @param gaps what was given
 * @returns the words
 */
export function describeGaps(gaps: Gaps): string {
  if ("gapsMs" in gaps) return `${gaps.gapsMs.length} gaps of one's own`;
  const process = `a Poisson process of ${gaps.ratePerSecond} requests per second`;
  return isExample(gaps) ? `${process}, an example (--gaps for your own)` : process;
}

/**
 * Whether gaps are those of the example.
 *
 * @param gaps what was given
 * @returns `true` for the default
 */
export function isExample(gaps: Gaps): boolean {
  return "ratePerSecond" in gaps && gaps.ratePerSecond === EXAMPLE_GAPS.ratePerSecond;
}
