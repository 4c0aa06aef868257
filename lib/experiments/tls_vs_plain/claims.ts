import { type Claim, claim, type Judgement, type Metric, type RunView } from "../../record/mod.ts";
import { differs, holds, notApplicable, notMeasured } from "../_shared/judgement.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { delayedVariants } from "./delayed_arms.ts";
import { spokenIn, whyUnlike } from "./spoken.ts";
import type { Values } from "./params.ts";
import { partsOf } from "./variants.ts";
import { delaysOverTls } from "./stack.ts";

/** What source A states about connections over TLS. */
export const claims: readonly Claim<Values>[] = [
  claim("A3", "Over TLS 1.3, 200 requests: 674 ms with new connections against 111 ms", judgeRatios),
  claim("A19", "Locally a new connection costs under a millisecond", judgeAdded),
];

const DELAYS = "Deno.serve waits for delayed acknowledgements over TLS alone";

/** A metric that has a value and an interval. */
interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A metric's interval, or why there is none. */
function intervalOf({ variant, value, low, high, reason }: Metric): Interval | string {
  if (value === null) return `${variant}: ${reason}`;
  if (low === null || high === null) {
    return `${variant}: an interval needs at least 5 rounds (--rounds 5)`;
  }
  return { value, low, high };
}

function metricsOf(run: RunView<Values>, name: string): Map<string, Metric> {
  return new Map(
    run.summary.filter((metric) => metric.name === name).map((metric) => [metric.variant!, metric]),
  );
}

function clientsOf({ client }: Values): readonly ("fetch" | "raw")[] {
  return client === "both" ? ["fetch", "raw"] : [client];
}

/** The version of TLS that A3 is about, as the server names it. */
const STATED_VERSION = "TLSv1.3";

/** Why a client's connections are not known to be of the version that A3 is about; `null` when they are. */
function whyOtherVersion({ tables }: RunView<Values>, client: string): Judgement | null {
  for (const mode of ["new", "shared"]) {
    const { variant, names, reason } = spokenIn(tables.rounds!, `tls/${client}/${mode}`, "tlsVersion");
    if (reason !== null) {
      return notMeasured(`It is about TLS 1.3, and the version of ${variant} is not known: ${reason}`);
    }
    if (names.join() !== STATED_VERSION) {
      return notApplicable(`It is about TLS 1.3, and ${variant} spoke ${names.join(" and ")}`);
    }
  }
  return null;
}

/** Why a run's times are not those of connections; `null` where no delayed ACK dominates what is compared. */
function whyDelayed({ tables, values }: RunView<Values>): Judgement | null {
  const clients: readonly string[] = clientsOf(values);
  const delayed = delayedVariants(tables.requests!).filter((variant) => {
    const { client, mode } = partsOf(variant);
    return clients.includes(client) && mode !== "resumed";
  });
  if (delayed.length === 0) return null;
  return notMeasured(`Waits as long as a delayed ACK, which is none of TLS, dominate ${delayed.join(", ")}`);
}

/** The ratio over TLS is greater than over plain connections, intervals apart, for every client. */
function judgeRatios(run: RunView<Values>): Judgement {
  const ratios = metricsOf(run, "elapsedRatio");
  const found: { readonly client: string; readonly tls: Interval; readonly plain: Interval }[] = [];
  for (const client of clientsOf(run.values)) {
    const pairs = ["tls", "plain"].map((transport) => `${transport}/${client}`);
    const variants = pairs.flatMap((pair) => ["new", "shared"].map((mode) => `${pair}/${mode}`));
    const unlike = whyUnlike(run.tables.rounds!, variants);
    if (unlike !== null) return notMeasured(`${client}: TLS and plain are not compared, as ${unlike}`);
    const [tls, plain] = pairs.map((pair) => intervalOf(ratios.get(pair)!)) as [Interval, Interval];
    if (typeof tls === "string") return notMeasured(tls);
    if (typeof plain === "string") return notMeasured(plain);
    found.push({ client, tls, plain });
  }
  if (delaysOverTls(run.values)) {
    return notMeasured(`${DELAYS}: TLS and plain connections are compared over HTTP/1.1 with --stack node`);
  }
  const delayed = whyDelayed(run);
  if (delayed !== null) return delayed;
  for (const { client } of found) {
    const other = whyOtherVersion(run, client);
    if (other !== null) return other;
  }
  const seen = found.map(({ client, tls, plain }) =>
    `${client} ${rangeText(tls)} over ${STATED_VERSION} and ${rangeText(plain)} over plain connections`
  ).join(", ");
  const stated = `stated 6.1 and 1.8, there with the TLS server in a container and the plain one not`;
  const against = found.find(({ tls, plain }) => tls.high < plain.low);
  if (against !== undefined) {
    return differs(
      against.tls.value,
      `The ratio of ${against.client} over TLS lies below the one over plain connections: ${seen}; ${stated}`,
    );
  }
  if (found.some(({ tls, plain }) => tls.low <= plain.high)) {
    return notMeasured(`The intervals are not apart, more requests or rounds tell: ${seen}`);
  }
  const least = Math.min(...found.map(({ tls }) => tls.value));
  const rule = "The ratios over TLS lie above those over plain connections, intervals apart";
  return holds(
    least,
    `${rule}: ${seen}; ${stated}${found.length > 1 ? "; measured is the smaller one over TLS" : ""}`,
  );
}

function rangeText({ low, high }: Interval): string {
  return `${low.toFixed(2)} to ${high.toFixed(2)}`;
}

/** What a new connection costs at most, in milliseconds. */
const STATED_MS = 1;

/** (new − shared) ÷ requests is below 1 ms, judged on the upper end; plain and TLS apart. */
function judgeAdded(run: RunView<Values>): Judgement {
  const { target } = run.values;
  if (target !== null && !run.warnings.some(({ code }) => code === LOOPBACK.code)) {
    return notApplicable("It is about a server on the same machine, which the target is not known to be");
  }
  const added = metricsOf(run, "addedPerRequestMs");
  const intervals: Interval[] = [];
  const said: string[] = [];
  for (const [transport, name] of [["plain", "plain connections"], ["tls", "TLS connections"]] as const) {
    const ofTransport: Interval[] = [];
    const ranges: string[] = [];
    for (const client of clientsOf(run.values)) {
      const interval = intervalOf(added.get(`${transport}/${client}`)!);
      if (typeof interval === "string") return notMeasured(interval);
      ofTransport.push(interval);
      ranges.push(`${client} ${rangeText(interval)} ms`);
    }
    intervals.push(...ofTransport);
    said.push(`${name} ${againstStated(ofTransport)} (${ranges.join(", ")})`);
  }
  const delayed = whyDelayed(run);
  if (delayed !== null) return delayed;
  const reason = `${said.join("; ")}. The article contradicts itself: its figures over TLS give 2.8 ms`;
  const most = Math.max(...intervals.map(({ value }) => value));
  if (intervals.every(isBelow)) return holds(most, reason, { unit: "ms" });
  if (delaysOverTls(run.values)) return notMeasured(`${DELAYS}, which no handshake costs: ${reason}`);
  if (intervals.some(isAbove)) return differs(most, reason, { unit: "ms" });
  return notMeasured(`More requests or rounds tell: ${reason}`);
}

const isBelow = ({ high }: Interval): boolean => high < STATED_MS;
const isAbove = ({ low }: Interval): boolean => low >= STATED_MS;

/** How the intervals of one transport stand to what is stated. */
function againstStated(intervals: readonly Interval[]): string {
  if (intervals.every(isBelow)) return `stay below ${STATED_MS} ms`;
  return intervals.some(isAbove) ? `do not stay below ${STATED_MS} ms` : `may not stay below ${STATED_MS} ms`;
}
