import { secondsText } from "../_shared/time_text.ts";
import type { Values } from "./params.ts";

/**
 * What load the parameters ask for, in a line.
 *
 * @param params the parameters
 * @returns the words: what is loaded, by what, how
 */
export function loadWords(
  { target, stack, serverWorkers, client, connections, rate, spacing, duration, threads, shards }: Values,
): string {
  const workers = serverWorkers === 1 ? "" : `, ${serverWorkers} workers`;
  const subject = target ?? `the lab's own server (${stack}${workers})`;
  const pace = rate === null
    ? "closed loop"
    : `open loop, ${rate} per second${spacing === "poisson" ? " (Poisson)" : ""}`;
  const parts = [[threads, "threads"], [shards, "processes"]] as const;
  const split = parts.filter(([count]) => count > 1).map(([count, name]) => `, ${count} ${name}`).join("");
  return `${subject}; ${client}, up to ${connections} connections${split}, ${pace}, ${secondsText(duration)}`;
}
