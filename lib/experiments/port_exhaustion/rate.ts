import { type ArmRows, PORT_FAILURES } from "./arm_rows.ts";
import { slotOf } from "./arms.ts";

/** How fast connections went on, while ports were the limit. */
export interface ObservedRate {
  /** Connections per second. */
  readonly ratePerSecond: number;
  /** The lowest rate that one port saw. */
  readonly low: number;
  /** The highest. */
  readonly high: number;
  /** How often a port was used again. */
  readonly turns: number;
}

/**
 * How many connections were made from one use of a port to its next, by the time between: in the mean over
 * all ports that were used again. Where tries outnumber ports, that is the rate that can go on for ever.
 *
 * @param arm the arm
 * @returns the rate, or why there is none
 */
export function observedRate(arm: ArmRows): ObservedRate | string {
  if (arm.turnover === null) return "It was not reached";
  const { connections, failures } = arm.turnover;
  const other = failures.find(({ kind }) => !PORT_FAILURES.has(kind));
  if (other !== undefined) return `Tries failed for another reason than ports: ${other.kind}`;
  if (failures.length === 0) {
    const made = `${count(connections.length)} connections one after another over ${
      count(arm.predicted.ports)
    } `;
    return arm.predicted.sustainedRatePerSecond === null
      ? `${made}ports, and none failed: ports do not bound it`
      : `${made}ports, and none failed: the measuring process is not fast enough to use all of them`;
  }
  const last = new Map<string, number>();
  let [made, tookMs, turns, low, high] = [0, 0, 0, Infinity, 0];
  for (const [place, connection] of connections.entries()) {
    const slot = slotOf(arm, connection);
    const before = last.get(slot);
    last.set(slot, place);
    if (before === undefined) continue;
    const since = connection.startMs - connections[before]!.startMs;
    const ratePerSecond = (place - before) / (since / 1000);
    [made, tookMs, turns] = [made + place - before, tookMs + since, turns + 1];
    [low, high] = [Math.min(low, ratePerSecond), Math.max(high, ratePerSecond)];
  }
  if (turns === 0) return "No port came back while it was measured";
  return { ratePerSecond: made / (tookMs / 1000), low, high, turns };
}

function count(number: number): string {
  return number.toLocaleString("en");
}
