import { bars, distribution, stacked } from "../../figures/mod.ts";
import type { Figure, RunView, TableData } from "../../record/mod.ts";
import { answered, leftOut, meanPerRequest, pick, rowsByVariant } from "../_shared/variant_rows.ts";
import type { Values } from "./params.ts";
import { stackOf } from "./stack.ts";
import { spokenIn } from "./spoken.ts";
import { askedVariants, PAIRS, partsOf, VARIANTS } from "./variants.ts";

const PHASES = {
  clientMs: "client",
  connectMs: "connect",
  tlsMs: "tls",
  sendMs: "send",
  waitMs: "wait",
  receiveMs: "receive",
} as const;

/** The figures of `tls-vs-plain`. */
export const figures = {
  ratio: (run: RunView<Values>): Figure => {
    const ratios = run.summary.filter(({ name, value }) => name === "elapsedRatio" && value !== null);
    return bars({
      title: "How many times longer requests take with a new connection each",
      subtitle: `${run.values.requests} requests a round, ${subjectOf(run)}; 95 % intervals over rounds`,
      y: { label: "Elapsed, new to shared", unit: "1" },
      bars: PAIRS.flatMap((pair) => ratios.filter(({ variant }) => variant === pair))
        .map(({ variant, value, low, high }) => ({ name: variant!, value, low, high })),
    });
  },

  phases: (run: RunView<Values>): Figure => {
    const requests = run.tables.requests!;
    const groups = [...rowsByVariant(requests, answered(requests))];
    return stacked({
      title: "Where the time of a request goes",
      subtitle: "Means; fetch shows neither connect nor tls nor send, all of them are in its wait" +
        notMeasured(run.values, groups.map(([variant]) => variant)) + leftOut(requests),
      x: { label: "Mean time per request", unit: "ms" },
      groups: groups.map(([variant]) => variant),
      parts: Object.entries(PHASES).map(([column, name]) => ({
        name,
        values: groups.map(([_, rows]) => meanPerRequest(requests.numbers(column), rows)),
      })),
    });
  },

  handshake: (run: RunView<Values>): Figure => {
    const requests = run.tables.requests!;
    const samples = [...rowsByVariant(requests, opened(requests))]
      .filter(([variant]) => partsOf(variant).mode === "new")
      .map(([name, rows]) => ({ name, values: handshakesMs(requests, rows) }));
    return distribution({
      title: "How long it takes until a new connection can carry a request",
      subtitle: "Connect, and over TLS the full handshake. Only raw shows it, and raw resumes no session: " +
        `a resumed handshake has no time of its own here${leftOut(requests)}`,
      y: { label: "Connect and TLS handshake", unit: "ms" },
      of: "connections",
      samples,
    });
  },

  resumption: (run: RunView<Values>): Figure => {
    const requests = run.tables.requests!;
    const samples = [...rowsByVariant(requests, answered(requests))]
      .filter(([variant]) => variant.startsWith("tls/fetch/"))
      .map(([name, rows]) => ({ name, values: pick(requests.numbers("waitMs"), rows) }));
    return distribution({
      title: "What resuming a TLS session saves, as far as fetch lets see it",
      subtitle: "From the call to the head of the response, a handshake included where there is one: " +
        `new makes full ones, resumed resumes${leftOut(requests)}`,
      y: { label: "Time to the head of the response", unit: "ms" },
      samples,
    });
  },
};

/** What answered the requests. */
function subjectOf({ values, tables }: RunView<Values>): string {
  if (values.target !== null) return "a server of one's own";
  const versions = VARIANTS.flatMap((variant) => spokenIn(tables.rounds!, variant, "tlsVersion").names);
  const tls = [values.keyType, ...new Set(versions)].join(" and ");
  return `servers on ${stackOf(values)} with ${tls}, over loopback`;
}

/** Which variants a figure of all of them is without, for its subtitle: the summary has the reasons. */
function notMeasured(values: Values, drawn: readonly string[]): string {
  const absent = askedVariants(values).filter((variant) => !drawn.includes(variant));
  return absent.length === 0 ? "" : `; without ${absent.join(", ")}: see the summary for why`;
}

/** Whether each request opened a connection that the client shows, and was answered. */
function opened(requests: TableData): (row: number) => boolean {
  const connectMs = requests.numbers("connectMs");
  const whole = answered(requests);
  return (row) => whole(row) && !Number.isNaN(connectMs[row]!);
}

function handshakesMs(requests: TableData, rows: readonly number[]): Float64Array {
  const [connectMs, tlsMs] = [requests.numbers("connectMs"), requests.numbers("tlsMs")];
  return Float64Array.from(rows, (row) => connectMs[row]! + (tlsMs[row] || 0));
}
