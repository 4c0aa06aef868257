import type { Environment } from "../record/mod.ts";
import { durationText, numberText } from "../render/mod.ts";
import { countPorts, parsePortList, type PortBudget, portBudget } from "../system/mod.ts";

/** What a machine's ports allow. */
export interface Budgets {
  /** To one address on another machine; `null` when a setting that decides it is not known. */
  readonly elsewhere: PortBudget | null;
  /** To one address over loopback; `null` when a setting that decides it is not known. */
  readonly loopback: PortBudget | null;
}

/** A fact that limits connections, and what it allows, for people. */
export type LimitRow = readonly [path: string, value: string, allows: string];

/**
 * What the ports of a machine allow from one address to another, when every connection is closed at once.
 *
 * @param network the settings
 * @returns the budgets
 */
export function budgetsOf(
  { ephemeralPorts, reservedPorts, timeWaitMs, tcpTwReuse }: Environment["network"],
): Budgets {
  if (ephemeralPorts === null || timeWaitMs === null) return { elsewhere: null, loopback: null };
  const settings = {
    range: ephemeralPorts,
    reserved: reservedPorts ?? "",
    timeWaitMs,
    reuse: tcpTwReuse ?? 0,
  };
  return { elsewhere: portBudget(settings), loopback: portBudget({ ...settings, loopback: true }) };
}

/** What is known of one limit: what it says, and what that allows. */
type Told = readonly [value: string, allows: string];

/**
 * The facts that limit connections, with what each allows.
 *
 * @param environment the facts
 * @returns a row for each
 */
export function limitRows({ network, limits, reasons }: Environment): LimitRow[] {
  const row = <T>(path: string, fact: T | null, tell: (fact: T) => Told): LimitRow =>
    fact === null ? [path, "not known", reasons[path] ?? ""] : [path, ...tell(fact)];
  const { elsewhere, loopback } = budgetsOf(network);
  const { elsewhere: withoutReuse } = budgetsOf({ ...network, tcpTwReuse: 0 });
  const connections = elsewhere === null ? "" : countText(elsewhere.connections);
  return [
    row("limits.descriptors", limits.descriptors, (count) => [
      numberText(count),
      `${numberText(count)} sockets and files at once in a process; more take more processes`,
    ]),
    row("network.ephemeralPorts", network.ephemeralPorts, ([low, high]) => [
      `${low} to ${high}`,
      `${connections} at once to one address and port, from one address`,
    ]),
    row("network.reservedPorts", network.reservedPorts, (list) => [
      list || "none",
      network.ephemeralPorts === null ? "" : `${reservedCount(network.ephemeralPorts, list)} are kept back`,
    ]),
    row("network.timeWaitMs", network.timeWaitMs, (timeMs) => [
      durationText(timeMs),
      `a port is not free for so long at the side that closed first: ${rateText(withoutReuse)}`,
    ]),
    row("network.tcpTwReuse", network.tcpTwReuse, (reuse) => [String(reuse), reuseText(reuse, loopback)]),
    row("network.tcpMaxTwBuckets", network.tcpMaxTwBuckets, (count) => [
      numberText(count),
      "sockets in TIME_WAIT; those beyond are dropped, and their ports are free at once",
    ]),
    row("network.tcpFinTimeoutS", network.tcpFinTimeoutS, (seconds) => [
      durationText(seconds * 1000),
      "a port is not free for so long while the other side does not close (FIN_WAIT_2); TIME_WAIT is another time",
    ]),
    row("network.somaxconn", network.somaxconn, (count) => [
      numberText(count),
      "connections that wait for accept() at a listener, at most; what comes then tries again after 1 s",
    ]),
    row("network.congestionControl", network.congestionControl, (name) => [
      name,
      "what a connection begins with; a socket may be given another that the kernel has",
    ]),
  ];
}

function countText(count: number): string {
  return `${numberText(count)} ${count === 1 ? "connection" : "connections"}`;
}

/** New connections per second, in whole ones. */
function rateText(budget: PortBudget | null): string {
  const rate = budget?.sustainedRatePerSecond ?? null;
  return rate === null ? "" : `${countText(Math.floor(rate))} per second to one address and port, for ever`;
}

function reuseText(reuse: number, loopback: PortBudget | null): string {
  if (reuse === 0) return "no port is used again while it is in TIME_WAIT";
  const where = reuse === 2 ? "over loopback" : "everywhere";
  return `${where} a port in TIME_WAIT is used again after 1 s: ${rateText(loopback)}`;
}

function reservedCount(range: readonly [number, number], list: string): string {
  const all = countPorts(range, []);
  return `${numberText(all - countPorts(range, parsePortList(list)))} of these ${numberText(all)}`;
}
