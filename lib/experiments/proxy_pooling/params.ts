import { choice, duration, integer, list, type ParamsOf } from "../../record/mod.ts";

/** The parameters. */
export const params = {
  clients: list(integer({ min: 1, max: 1000, default: 1, help: "clients" }), {
    default: [1, 10, 50, 100, 200],
    quick: [1, 20],
    help: "clients at once, each with a connection that it keeps; every path is measured with each number",
  }),
  duration: duration({
    min: "100ms",
    max: "10m",
    default: "2s",
    quick: "200ms",
    help: "how long each path is loaded with each number of clients, in all rounds together",
  }),
  rounds: integer({
    min: 1,
    max: 50,
    default: 5,
    quick: 1,
    help: "rounds that the duration is split over; an interval needs 5",
  }),
  ports: integer({
    min: 64,
    max: 16_000,
    default: 1000,
    quick: 128,
    help: "size of the private port range that the proxy runs short of, an even number",
  }),
  retryStale: choice(["both", "on", "off"], {
    default: "both",
    help: "whether the proxy sends a request once more when a kept connection turns out to be dead",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
