import type { Environment } from "../record/mod.ts";
import { durationText, numberText } from "../render/mod.ts";
import { countPorts, parsePortList, type PortBudget, portBudget, REUSE_DELAY_MS } from "../system/mod.ts";

/** What a machine's ports allow. */
export interface Budgets {
  /** To one address on another machine; `null` when a setting that decides it is not known. */
  readonly elsewhere: PortBudget | null;
  /** To one address over loopback; `null` when a setting that decides it is not known. */
  readonly loopback: PortBudget | null;
}

/** What else the budgets are reckoned with. */
export interface BudgetsOptions {
  /** From when on a port in TIME_WAIT may be used again where that is allowed, in milliseconds. @default {1000} */
  readonly reuseDelayMs?: number;
}

/** A fact that limits connections, and what it allows, for people. */
export type LimitRow = readonly [path: string, value: string, allows: string];

/**
 * What the ports of a machine allow from one address to another, when every connection is closed at once.
 *
 * @param network the settings
 * @param options from when on ports are used again
 * @returns the budgets
 */
export function budgetsOf(
  { ephemeralPorts, reservedPorts, timeWaitMs, tcpTwReuse }: Environment["network"],
  options: BudgetsOptions = {},
): Budgets {
  if (ephemeralPorts === null || timeWaitMs === null) return { elsewhere: null, loopback: null };
  const settings = {
    range: ephemeralPorts,
    reserved: reservedPorts ?? "",
    timeWaitMs,
    reuse: tcpTwReuse ?? 0,
    ...options,
  };
  return { elsewhere: portBudget(settings), loopback: portBudget({ ...settings, loopback: true }) };
}

/** What is known of one limit: what it says, and what that allows. */
type Told = readonly [value: string, allows: string];

/**
 * The facts that limit connections, with what each allows.
 *
 * @param environment the facts
 * @param options from when on ports are used again
 * @returns a row for each
 */
export function limitRows(
  { network, limits, reasons }: Environment,
  options: BudgetsOptions = {},
): LimitRow[] {
  const row = <T>(path: string, fact: T | null, tell: (fact: T) => Told): LimitRow =>
    fact === null ? [path, "not known", reasons[path] ?? ""] : [path, ...tell(fact)];
  const { elsewhere, loopback } = budgetsOf(network, options);
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
      "a port is not free for so long at the side that closed first" +
      (withoutReuse === null
        ? ""
        : `; ${network.tcpTwReuse === 1 ? "without reuse" : "over a network"}: ${
          rateText(withoutReuse)
        }, if the client closes first`),
    ]),
    row("network.tcpTwReuse", network.tcpTwReuse, (reuse) => [
      String(reuse),
      reuseText(reuse, loopback, options.reuseDelayMs ?? REUSE_DELAY_MS),
    ]),
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

/**
 * What all of it comes to.
 *
 * @param budgets what the ports allow
 * @returns a line for people; `null` when a setting that decides it is not known
 */
export function budgetsText({ elsewhere, loopback }: Budgets): string | null {
  if (elsewhere === null || loopback === null) return null;
  return `To one address and port: ${numberText(elsewhere.connections)} at once; ` +
    `${numberText(wholeRate(elsewhere))} new per second over a network, ` +
    `${numberText(wholeRate(loopback))} over loopback`;
}

/** A rate that can go on for ever, rounded down: one more would not. TIME_WAIT bounds it on every system. */
function wholeRate({ sustainedRatePerSecond }: PortBudget): number {
  return Math.floor(sustainedRatePerSecond!);
}

function rateText(budget: PortBudget): string {
  const rate = wholeRate(budget);
  return `${numberText(rate)} new ${rate === 1 ? "connection" : "connections"} per second`;
}

function reuseText(reuse: number, loopback: PortBudget | null, delayMs: number): string {
  if (reuse === 0) return "no port is used again while it is in TIME_WAIT";
  const where = reuse === 2 ? "over loopback" : "everywhere";
  const delayText = delayMs % 1000 === 0 ? durationText(delayMs) : `${numberText(delayMs)} ms`;
  const rate = loopback === null ? "" : `: ${rateText(loopback)}`;
  return `${where} a port in TIME_WAIT is used again after ${delayText}${rate}`;
}

function reservedCount(range: readonly [number, number], list: string): string {
  const all = countPorts(range, []);
  return `${numberText(all - countPorts(range, parsePortList(list)))} of these ${numberText(all)}`;
}
