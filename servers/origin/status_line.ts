import { pause } from "../../lib/system/mod.ts";
import type { Stats } from "./stats.ts";

const PERIOD_MS = 1000;

/**
 * What a person is told of the origin while something happens.
 *
 * @param stats what it has counted
 * @returns a line
 */
export function statusLine(stats: Stats): string {
  const { requests, accepted, active, clientPorts, inFlight, refused, eventLoopDelayMs, memory } = stats;
  return [
    ...(accepted === null ? [`client ports ${clientPorts}`] : [`accepted ${accepted}`, `active ${active}`]),
    `in flight ${inFlight}`,
    `requests ${requests}`,
    ...(refused ? [`refused ${refused}`] : []),
    `event loop delay ${eventLoopDelayMs.toFixed(1)} ms`,
    ...(memory.rssBytes === null ? [] : [`memory ${(memory.rssBytes / 2 ** 20).toFixed(1)} MiB`]),
  ].join(", ");
}

/** Options of {@linkcode reportStatus}. */
export interface ReportOptions {
  /** Takes a line. */
  readonly say: (line: string) => void;
  /** Waits from one look to the next. @default {a second} */
  readonly wait?: () => Promise<void>;
}

/**
 * Says how the origin fares, once a second while something happens.
 *
 * @param read what it has counted
 * @param options where it is said
 */
export async function reportStatus(read: () => Promise<Stats>, options: ReportOptions): Promise<never> {
  const { say, wait = () => pause(PERIOD_MS) } = options;
  let said = countsOf(await read());
  for (;;) {
    await wait();
    const stats = await read();
    const counts = countsOf(stats);
    if (counts !== said) say(statusLine(stats));
    said = counts;
  }
}

/** What changes while something happens. */
function countsOf({ requests, accepted, active, inFlight, refused }: Stats): string {
  return [requests, accepted, active, inFlight, refused].join();
}
