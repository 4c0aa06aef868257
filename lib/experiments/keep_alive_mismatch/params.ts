import { choice, duration, integer, list, type ParamsOf } from "../../record/mod.ts";
import { orWord } from "../_shared/or_word.ts";
import { EXAMPLE_GAPS, gapsParam } from "./gaps.ts";

const middleboxIdle = duration({
  default: "2s",
  quick: "1s",
  min: "100ms",
  help: "how long a flow may be idle at the middlebox; none leaves the middlebox out",
});

const pause = duration({ default: "1s", help: "a pause" });

/** The parameters. */
export const params = {
  serverIdle: duration({
    default: "5s",
    quick: "2s",
    min: "100ms",
    help: "keep-alive of the server, on the stack node; Deno.serve has none",
  }),
  clientIdle: duration({
    default: "30s",
    quick: "12s",
    min: "100ms",
    help: "how long a client keeps an idle connection",
  }),
  middleboxIdle: orWord(middleboxIdle, "none", middleboxIdle.default),
  forget: choice(["reset", "silent", "fin"], {
    default: "reset",
    help: "how the middlebox forgets: it resets who speaks later, swallows what comes, or closes in order",
  }),
  pauses: orWord(
    list(pause, { default: [pause.default], help: "pauses between the two requests of a pair" }),
    "around",
    null,
  ),
  longestPause: duration({
    default: "10s",
    quick: "4.5s",
    max: "10m",
    help: "the longest pause: one that is given may not be longer, those around the limits are left out",
  }),
  repeats: integer({ min: 1, max: 100, default: 3, quick: 2, help: "pairs of requests in each cell" }),
  timeout: duration({ default: "2s", quick: "1s", max: "1m", help: "how long an answer is waited for" }),
  stack: choice(["node", "deno"], { default: "node", help: "stack of the server: node:http or Deno.serve" }),
  gaps: gapsParam({
    default: EXAMPLE_GAPS,
    help: "your own times between requests, to work out what the settings cost",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
