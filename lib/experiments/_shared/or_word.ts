import type { Param } from "../../record/mod.ts";

/**
 * A parameter that may also be left to a word: its value is `null` then.
 *
 * @param param what reads every other value
 * @param word the word, such as `none`
 * @param preset the value when none is given
 * @returns the parameter
 *
 * @example
 * ```ts
 * import { integer } from "../../record/mod.ts";
 * import { orWord } from "./or_word.ts";
 * import { assertEquals } from "@std/assert";
 * const rate = orWord(integer({ min: 1, max: 9, default: 1, help: "requests per second" }), "none", null);
 * assertEquals([rate.parse("none"), rate.parse(3)], [{ value: null }, { value: 3 }]);
 * assertEquals(rate.parse(0), { must: ">= 1, or none" });
 * ```
 */
export function orWord<T>(param: Param<T>, word: string, preset: T | null): Param<T | null> {
  const { quick } = param;
  return {
    kind: param.kind,
    help: param.help,
    accepts: `${param.accepts}, or ${word}`,
    default: preset,
    ...(quick === undefined ? {} : { quick }),
    parse(given) {
      if (given === null || given === word) return { value: null };
      const outcome = param.parse(given);
      return "must" in outcome ? { must: `${outcome.must}, or ${word}` } : outcome;
    },
    format: (value) => value === null ? word : param.format(value),
  };
}
