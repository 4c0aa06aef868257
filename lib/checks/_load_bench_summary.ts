import { column, type Metric, metric, type RowOf, type Warning } from "../record/mod.ts";
import { type BenchRow, median } from "./bench_row.ts";

const WAIT_SHARE = column.ratio(
  "The share of the time in which the client was ready to run and had no processor",
);

/** The tables of the bench's run. */
export const TABLES = {
  rates: {
    server: column.text("What answers"),
    client: column.text("What asks"),
    round: column.count("The round, from 0"),
    requestsPerSecond: column.rate("Requests that were answered"),
    waitShare: WAIT_SHARE,
    clientBusy: column.ratio("The share of the client's processor that was busy, with whatever"),
    serverBusy: column.ratio("The share of the server's processor that was busy, with whatever"),
  },
  lateness: {
    round: column.count("The round, from 0"),
    requestsPerSecond: column.rate("Requests that were answered"),
    waitShare: WAIT_SHARE,
    latenessP50Ms: column.ms("Actual less intended start: half of the requests were not later"),
    latenessP99Ms: column.ms("The same of 99 in 100 requests"),
    latenessMaxMs: column.ms("The same of the latest request"),
  },
  crowds: {
    client: column.text("What opened the connections"),
    round: column.count("The round, from 0"),
    connections: column.count("Connections"),
    openMs: column.ms("Until each of them had been opened and answered once"),
    residentBytes: column.bytes("Memory of the client's process with all of them open, its resident set"),
  },
  tools: {
    tool: column.text("A program that need not be installed"),
    isHere: column.flag("Whether it is"),
  },
} as const;

/** The rows of the bench, by table. */
export type BenchTables = { readonly [T in keyof typeof TABLES]: RowOf<(typeof TABLES)[T]>[] };

/** A client is as quick as the loop in C from here on. */
const AS_IN_C = 0.9;

/** What the engines should keep to: a client over another, against the same server. */
const RATIOS: readonly { readonly client: string; readonly over: string; readonly atLeast: number | null }[] =
  [
    { client: "epoll", over: "wrk", atLeast: 1.2 },
    { client: "epoll", over: "C loop", atLeast: AS_IN_C },
    { client: "raw", over: "wrk", atLeast: 0.9 },
    { client: "C loop", over: "wrk", atLeast: null },
  ];
const MAX_LATENESS_MS = 1;
const MAX_BYTES_PER_CONNECTION = 1024;
const MAX_OPENING = 1.2;

/** From here on other work on the machine is in the numbers: an engine's own process has other threads too. */
const DISTURBED = 0.1;

const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);

/** The median with the range of all, or why there is none. */
function medianOf(
  name: string,
  variant: string | null,
  unit: Metric["unit"],
  values: readonly number[],
): Metric {
  if (values.length === 0) return metric(name, { variant, unit, value: null, reason: "not here" });
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return metric(name, { variant, unit, value: median(values), low, high });
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The ratios of two clients, round by round, so that both have met the same disturbances. */
function ratios({ rates }: BenchTables, server: string, client: string, over: string): number[] {
  const of = (name: string) => rates.filter((row) => row.server === server && row.client === name);
  return known(
    of(client).map(({ round, requestsPerSecond }) => {
      const other = of(over).find((row) => row.round === round);
      return other === undefined ? null : requestsPerSecond! / other.requestsPerSecond!;
    }),
  );
}

/** The growth of a client's memory from its small crowd to its large ones, by connection. */
function bytesPerConnection({ crowds }: BenchTables): number[] {
  const own = crowds.filter(({ residentBytes }) => residentBytes !== null);
  const smallest = own.reduce((least, row) => row.connections! < least.connections! ? row : least, own[0]!);
  return own.filter(({ connections }) => connections! > smallest.connections!).map((row) =>
    (row.residentBytes! - smallest.residentBytes!) / (row.connections! - smallest.connections!)
  );
}

/** How long the large crowds of a client took to open. */
function openingsMs({ crowds }: BenchTables, client: string): number[] {
  const size = Math.max(...crowds.map(({ connections }) => connections!));
  return crowds.filter((row) => row.client === client && row.connections === size).map(({ openMs }) =>
    openMs!
  );
}

/**
 * What the bench found.
 *
 * @param tables its rows
 * @returns medians with their ranges; what was not here has none
 */
export function summarize(tables: BenchTables): Metric[] {
  const { rates, lateness, tools } = tables;
  const pairs = unique(rates.map(({ server, client }) => `${server}\n${client}`)).map((pair) =>
    pair.split("\n")
  );
  const of = (server: string, client: string) =>
    rates.filter((row) => row.server === server && row.client === client);
  const absent = tools.filter(({ isHere }) => !isHere).map(({ tool }) => tool!);
  const [own, inC] = [openingsMs(tables, "epoll"), openingsMs(tables, "C loop")];
  return [
    ...pairs.flatMap(([server, client]) => {
      const rows = of(server!, client!);
      const variant = `${client}, ${server}`;
      return [
        medianOf("requestsPerSecond", variant, "1/s", rows.map((row) => row.requestsPerSecond!)),
        medianOf("clientBusy", variant, "1", known(rows.map(({ clientBusy }) => clientBusy))),
        medianOf("serverBusy", variant, "1", known(rows.map(({ serverBusy }) => serverBusy))),
      ];
    }),
    ...absent.map((tool) => medianOf("requestsPerSecond", tool, "1/s", [])),
    ...unique(rates.map(({ server }) => server!)).flatMap((server) =>
      RATIOS.map(({ client, over }) =>
        medianOf("ratio", `${client} / ${over}, ${server}`, "1", ratios(tables, server, client, over))
      )
    ),
    medianOf("latenessP99Ms", null, "ms", known(lateness.map(({ latenessP99Ms }) => latenessP99Ms))),
    medianOf("bytesPerConnection", null, "By", bytesPerConnection(tables)),
    medianOf("openMs", "epoll", "ms", own),
    medianOf("openMs", "C loop", "ms", inC),
    medianOf("ratio", "opening, epoll / C loop", "1", inC.map((ms, round) => own[round]! / ms)),
  ];
}

/** A ratio of {@linkcode RATIOS} at a server that was measured. */
interface Compared {
  readonly server: string;
  readonly client: string;
  readonly over: string;
  readonly ratio: number;
  readonly atLeast: number;
  /**
   * The best ratio of the loop in C, if that too falls short and the client's is no less. Nothing asks for less work than
   * that loop: it is the server that cannot do more, and its limit is not booked to the client.
   */
  readonly bound: number | null;
}

function compared(summary: readonly Metric[]): Compared[] {
  const find = (variant: string) => summary.find((one) => one.name === "ratio" && one.variant === variant);
  return serversOf(summary).flatMap((server) =>
    RATIOS.flatMap(({ client, over, atLeast }) => {
      const ratio = find(`${client} / ${over}, ${server}`)?.value ?? null;
      if (ratio === null || atLeast === null) return [];
      // By the best of its rounds: what else the machine did must not excuse the client.
      const inC = find(`C loop / ${over}, ${server}`)?.high ?? null;
      const isBound = ratio < atLeast && inC !== null && inC < atLeast && ratio >= inC * AS_IN_C;
      return [{ server, client, over, ratio, atLeast, bound: isBound ? inC : null }];
    })
  );
}

const serversOf = (summary: readonly Metric[]) =>
  unique(summary.filter(({ name }) => name === "serverBusy").map(({ variant }) => variant!.split(", ")[1]!));

/**
 * What makes the numbers less sure than they look.
 *
 * @param tables the rows
 * @returns a warning where other work has taken the processor from an engine, and for each ratio that says more of
 * the server than of the client
 */
export function warningsOf(tables: BenchTables): Warning[] {
  const { rates, lateness } = tables;
  // The others share their processor with threads of the runtime.
  const own = [...rates.filter(({ client }) => client === "epoll"), ...lateness];
  const worst = Math.max(0, ...known(own.map(({ waitShare }) => waitShare)));
  const disturbed = worst < DISTURBED ? [] : [{
    code: "processor-shared",
    message: `The epoll engine waited for its processor ${
      Math.round(worst * 100)
    } % of a round: the machine was busy`,
    remedy: "End the other work on the machine, and run the bench again",
  }];
  const bound = compared(summarize(tables)).filter(({ bound }) => bound !== null);
  return [
    ...disturbed,
    ...bound.map(({ server, client, over, ratio, bound }) => ({
      code: `bound-by-server-${client}-${server}`,
      message:
        `${server} is at its limit: ${client} has ${ratio.toFixed(2)} × ${over} there, and the loop in C, ` +
        `which does the least, ${bound!.toFixed(2)} × at best`,
      remedy: "Hold the clients against the server in C, which does less for a request",
    })),
  ];
}

/**
 * The summary against what the engines should keep to.
 *
 * @param summary what {@linkcode summarize} gave
 * @returns a ratio for each target that could be measured, without those that the server decides
 */
export function benchRows(summary: readonly Metric[]): BenchRow[] {
  const find = (name: string, variant: string | null = null) =>
    summary.find((one) => one.name === name && one.variant === variant)?.value ?? null;
  const rows: BenchRow[] = compared(summary).filter(({ bound }) => bound === null).map(
    ({ server, client, over, ratio, atLeast }) => {
      const rates = [client, over].map((name) => find("requestsPerSecond", `${name}, ${server}`)! / 1000);
      return {
        name: `${client} over ${over}, against ${server}`,
        ratio,
        target: atLeast,
        direction: "at least",
        note: `${rates.map((rate) => rate.toFixed(0)).join(" against ")} thousand a second`,
      };
    },
  );
  const latenessMs = find("latenessP99Ms");
  const bytes = find("bytesPerConnection");
  const opening = find("ratio", "opening, epoll / C loop");
  const atMost = (name: string, ratio: number, target: number, note: string): BenchRow => ({
    name,
    ratio,
    target,
    direction: "at most",
    note,
  });
  return [
    ...rows,
    latenessMs === null ? null : atMost(
      "open loop, lateness of 99 in 100, over 1 ms",
      latenessMs / MAX_LATENESS_MS,
      1,
      `${(latenessMs * 1000).toFixed(0)} µs`,
    ),
    bytes === null ? null : atMost(
      "memory of an idle connection, over 1 KiB",
      bytes / MAX_BYTES_PER_CONNECTION,
      1,
      `${bytes.toFixed(0)} bytes`,
    ),
    opening === null ? null : atMost(
      "opening idle connections, over the loop in C",
      opening,
      MAX_OPENING,
      ["epoll", "C loop"].map((client) => `${find("openMs", client)!.toFixed(0)} ms`).join(" against "),
    ),
  ].filter((row) => row !== null);
}
