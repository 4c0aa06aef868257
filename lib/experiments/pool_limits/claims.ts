import type { Claim, Judgement, Metric, RunView } from "../../record/mod.ts";
import { claim } from "../../record/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { cappedVariant } from "./arms.ts";
import { type UnderWay, wereAtOnce } from "./at_once.ts";
import type { Values } from "./params.ts";
import type { Carried } from "./rounds.ts";
import { carried, variantsOf } from "./summarize.ts";

type View = RunView<Values>;

/** What sources A and B state about the limits of pools. */
export const claims: readonly Claim<Values>[] = [
  claim(
    "A7",
    "Defaults: lifetime unlimited, idle 60 s, no connect timeout, 2,147,483,647 connections per server",
    judgeDefaults,
  ),
  claim(
    "A11",
    "At most 2 connections and 10 concurrent requests of 500 ms: 5 rounds over HTTP/1.1, 1 over HTTP/2",
    judgeRounds,
  ),
  claim("A22", "An uncapped pool opens a connection per concurrent request in a burst", judgeBurst),
  claim(
    "B7",
    "445,013 requests over 42 fresh connections; an idle cap of 2 under 50 workers dials every round",
    judgeIdleCap,
  ),
];

/** How much longer than its rounds of responses a burst may take. */
const SLACK = 1.2;

/** Thrown out of a rule where a number that it needs is missing. */
class Missing extends Error {}

/** The value of a metric. @throws {Missing} there is none */
function valueOf({ summary }: View, name: string, variant: string): number {
  const found: Metric | undefined = summary.find((one) => one.name === name && one.variant === variant);
  if (found === undefined) throw new Missing(`${variant} was not measured`);
  if (found.value === null) throw new Missing(`${variant}, ${name}: ${found.reason}`);
  return found.value;
}

/** Applies a rule; where a number is missing, that is the answer. */
function whenMeasured(rule: () => Judgement): Judgement {
  try {
    return rule();
  } catch (error) {
    if (error instanceof Missing) return notMeasured(error.message);
    throw error;
  }
}

/**
 * 5 rounds over HTTP/1.1, whose elapsed time is theirs, −0 to +20 %; 1 round over HTTP/2. Where answers were so
 * late that they explain another number, the run does not tell.
 */
function judgeRounds(run: View): Judgement {
  const { concurrency, maxConnections, responseTime, protocol } = run.values;
  if (protocol !== "both") return notMeasured("Only one of the protocols was measured (--protocol both)");
  if (concurrency <= maxConnections) {
    return notMeasured("Nothing has to wait: --concurrency must be above --max-connections");
  }
  return whenMeasured(() => {
    const stated = Math.ceil(concurrency / maxConnections);
    const rounds = valueOf(run, "rounds", "http1");
    const multiplexed = valueOf(run, "rounds", "http2");
    const connections = valueOf(run, "connections", "http1");
    const elapsedMs = valueOf(run, "elapsedMs", "http1");
    const lateMs = latenessMs(run);
    const late = `answers came up to ${lateMs.toFixed(0)} ms late on a connection`;
    if (connections > maxConnections) {
      return differs(connections, `http1: ${connections} connections and not at most ${maxConnections}`);
    }
    if (rounds !== stated) {
      const seen = `http1: ${rounds} rounds and not ${stated}`;
      return lateMs < responseTime ? differs(rounds, seen) : notMeasured(`${seen}; but ${late}`);
    }
    if (multiplexed !== 1) return differs(multiplexed, `http2: ${multiplexed} rounds`);
    const leastMs = stated * responseTime;
    const mostMs = SLACK * leastMs;
    if (elapsedMs < leastMs || elapsedMs > mostMs) {
      const seen = `http1: ${elapsedMs.toFixed(0)} ms is not ${leastMs} ms, -0 to +20 %`;
      return elapsedMs > mostMs && elapsedMs - lateMs <= mostMs
        ? notMeasured(`${seen}; but ${late}`)
        : differs(elapsedMs, seen, { unit: "ms" });
    }
    return holds(
      rounds,
      `raw over ${connections} HTTP/1.1 connections: ${rounds} rounds in ${elapsedMs.toFixed(0)} ms; ` +
        `fetch over HTTP/2: 1 round in ${valueOf(run, "elapsedMs", "http2").toFixed(0)} ms`,
    );
  });
}

/** How late the answers of `http1` were, opening included: the sum on the connection where it is largest. */
function latenessMs({ tables, values }: View): number {
  const [http1] = variantsOf({ waves: tables.waves!, requests: tables.requests! })
    .filter(({ variant }) => variant === "http1");
  const requests = http1 === undefined ? [] : carried(http1, tables.requests!);
  if (typeof requests === "string") return 0;
  const lateMs = ({ fromMs, toMs }: Carried) => Math.max(0, toMs - fromMs - values.responseTime);
  return [...Map.groupBy(requests, ({ lane }) => lane).values()]
    .map((carried) => carried.reduce((sum, request) => sum + lateMs(request), 0))
    .reduce((most, sum) => Math.max(most, sum), 0);
}

/** Connections = concurrency, for both clients. */
function judgeBurst(run: View): Judgement {
  const { concurrency } = run.values;
  if (concurrency === 1) return notMeasured("One request is no burst (--concurrency 10)");
  return whenMeasured(() => {
    for (const variant of ["burst/raw", "burst/fetch"]) {
      const connections = valueOf(run, "connections", variant);
      if (connections === concurrency) continue;
      const seen = `${variant}: ${connections} connections for ${concurrency} requests`;
      return connections > concurrency || isBurst(run, variant)
        ? differs(connections, seen)
        : notMeasured(`${seen}; but one was answered before the last began`);
    }
    return holds(
      concurrency,
      `${concurrency} connections for ${concurrency} requests at the same time, with raw and with fetch`,
    );
  });
}

/** Whether the requests of a variant's first wave were under way at the same time. */
function isBurst({ tables }: View, variant: string): boolean {
  const rows = [...tables.requests!.rows()].filter((row) => row.variant === variant && row.wave === 1);
  return wereAtOnce(rows as unknown as UnderWay[]);
}

/** fresh + reused = sent; healthy: fresh ≤ concurrency; an idle cap below: fresh/sent > 0.5. */
function judgeIdleCap(run: View): Judgement {
  const { idlePerHost, workers, requestsPerWorker } = run.values;
  if (idlePerHost >= workers || requestsPerWorker < 3) {
    return notMeasured(
      "The cap does not bind: --idle-per-host below --workers, --requests-per-worker from 3",
    );
  }
  return whenMeasured(() => {
    const capped = cappedVariant(idlePerHost);
    for (const variant of ["idle-cap/healthy", capped]) {
      const [fresh, reused, sent, received, connections] = [
        "fresh",
        "reused",
        "sent",
        "received",
        "connections",
      ]
        .map((name) => valueOf(run, name, variant)) as [number, number, number, number, number];
      if (fresh + reused !== sent) {
        return differs(
          fresh + reused,
          `${variant}: ${fresh + reused} requests were fresh or reused, and ${sent} sent`,
        );
      }
      if (received !== sent) {
        return differs(received, `${variant}: ${received} requests were received, and ${sent} sent`);
      }
      if (connections !== fresh) {
        return notMeasured(
          `${variant}: ${fresh} requests were fresh, and ${connections} connections counted`,
        );
      }
    }
    const healthy = valueOf(run, "fresh", "idle-cap/healthy");
    if (healthy > workers) {
      return differs(healthy, `idle-cap/healthy: ${healthy} fresh for ${workers} workers`);
    }
    const share = valueOf(run, "freshShare", capped);
    const seen = `${Number(share.toPrecision(4))} of the requests of ${capped} were fresh ` +
      `(${valueOf(run, "fresh", capped)} of ${valueOf(run, "sent", capped)})`;
    if (share <= 0.5) return differs(share, seen);
    const counter = run.values.stack === "node" ? "both ends" : "the client";
    return holds(
      share,
      `${seen}, and ${healthy} in all with an idle cap of ${workers}; workers in lock step, as ${counter} counted`,
    );
  });
}

/** A row of the table of defaults. */
interface Default {
  readonly client: string;
  readonly setting: string;
  readonly value: string | null;
  readonly unit: "ms" | "1" | null;
  readonly reason: string | null;
}

/** A client whose live connections never rotate, and whose number is uncapped. */
function judgeDefaults(run: View): Judgement {
  const rows = [...run.tables.defaults!.rows()] as unknown as Default[];
  const clients = [...Map.groupBy(rows, ({ client }) => client)];
  if (clients.length === 0) return notMeasured("The run ended before the defaults were known");
  for (const [client, settings] of clients) {
    for (const setting of ["lifetime", "connections"]) {
      const found = settings.find((row) => row.setting === setting);
      if (found === undefined || found.value === null) {
        return notMeasured(`${client}, ${setting}: ${found?.reason ?? "not known"}`);
      }
      if (found.value !== "none") {
        return differs(
          Number(found.value),
          `${client}, ${setting}: ${valueText(found)}; ${found.reason}`,
          { unit: found.unit ?? "1" },
        );
      }
    }
  }
  const names = clients.map(([client]) => client).join(" and ");
  const others = Object.entries(NOT_JUDGED).map(([setting, stated]) =>
    `${setting} (stated: ${stated}; ${
      rows.filter((row) => row.setting === setting).map((row) => `${row.client} ${valueText(row)}`).join(", ")
    })`
  );
  return holds(
    clients.length,
    `${clients.length} clients, ${names}, without rotation within the run and without a cap on connections, ` +
      `which is all that is judged; not judged: ${others.join(", ")}`,
  );
}

/** Settings that the source states too, on which the verdict does not depend, with what it states. */
const NOT_JUDGED = { "idle timeout": "60 s", "connect timeout": "none" };

function valueText({ value, unit, reason }: Default): string {
  if (value === null) return `not known: ${reason}`;
  return unit === "ms" ? `${value} ms` : value;
}
