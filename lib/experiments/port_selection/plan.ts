import { MisuseError } from "../../record/mod.ts";
import type { Values } from "./params.ts";
import { protocolOf, type Strategy } from "./strategies.ts";
import type { PortRange } from "./walk.ts";
import { STATED_WINDOWS, windowPorts } from "./window.ts";

/** What is measured in one namespace: a strategy under one set of conditions. */
export interface Arm {
  /** Its name: the strategy, and behind a slash in what it differs from what the run was asked for. */
  readonly variant: string;
  /** How its sockets come to their ports. */
  readonly strategy: Strategy;
  /** The range of ports. */
  readonly range: PortRange;
  /** The addresses of its connections. */
  readonly family: "ipv4" | "ipv6";
  /** How many source addresses it has, used in turn. */
  readonly sources: number;
  /** How many ports a socket may choose from; `null` where the strategy leaves all of them. */
  readonly windowPorts: number | null;
  /** Threads that connect at once. */
  readonly threads: number;
  /** How many sockets are made and connected. */
  readonly connects: number;
}

/**
 * How many connections are made from two sources, as a multiple of the ports of one: the study's 70,000 of 56,512.
 */
const TWO_SOURCES_FILL = 1.24;

/**
 * How much of the range is filled when its low port is moved by one, to see which parity comes first: all of it would
 * take bind() half a minute, for what the first ports of the other parity show.
 */
const MOVED_FILL = 0.6;

const LAST_PORT = 65_535;

/**
 * The range of ports of a run.
 *
 * @param params the parameters
 * @returns the range
 * @throws {MisuseError} it goes beyond the last port
 */
function rangeOf({ low, ports }: Pick<Values, "low" | "ports">): PortRange {
  const high = low + ports - 1;
  if (high <= LAST_PORT) return { low, high };
  throw new MisuseError(
    `Cannot use ${ports} ports from ${low} on as the last port is ${LAST_PORT}: ` +
      `give --low ${LAST_PORT + 1 - ports} or less, or fewer ports`,
  );
}

/** The same number of ports, moved by one: up where there is room, else down. */
function moved({ low, high }: PortRange): PortRange | null {
  if (high < LAST_PORT) return { low: low + 1, high: high + 1 };
  return low > 1024 ? { low: low - 1, high: high - 1 } : null;
}

/**
 * What a run measures, in order.
 *
 * @param params the parameters
 * @returns the arms: the strategies as they were asked for, then what they are compared with
 * @throws {MisuseError} the range goes beyond the last port, two sources of IPv6 were asked for, or none and some
 * comparisons
 */
export function armsOf(params: Values): Arm[] {
  const { family, sources } = params;
  const compared = new Set(params.compare);
  if (compared.has("none") && compared.size > 1) {
    throw new MisuseError(
      `Cannot compare ${
        [...compared].join()
      } as none goes with no other: give --compare none, or leave it out`,
    );
  }
  if (family === "ipv6" && sources > 1) {
    throw new MisuseError("Cannot use 2 sources with family ipv6: its loopback has the one address ::1");
  }
  const strategies = [...new Set(params.strategies)];
  const base = strategies.map((strategy) => baseArm(strategy, params));
  return [...base, ...base.flatMap((arm) => companions(arm, params))];
}

function baseArm(strategy: Strategy, params: Values): Arm {
  const { family, sources, ports, window } = params;
  const isWindow = strategy === "window";
  return {
    variant: strategy,
    ...{ strategy, family, sources, threads: 1 },
    range: rangeOf(params),
    windowPorts: isWindow ? windowPorts(window, ports) : null,
    connects: ports * sources,
  };
}

function companions(arm: Arm, { compare, concurrent, ports, window }: Values): Arm[] {
  const { strategy, family, sources, range } = arm;
  const wanted = (one: Values["compare"][number]) => compare.includes(one);
  const also = (name: string, change: Partial<Arm>): Arm => ({
    ...arm,
    ...change,
    variant: `${strategy}/${name}`,
  });
  const arms: Arm[] = [];
  if (concurrent > 1 && protocolOf(strategy) === "tcp") {
    arms.push(also(`${concurrent}-threads`, { threads: concurrent }));
  }
  const other = moved(range);
  if (wanted("low") && other !== null && (strategy === "plain" || strategy === "bind-first")) {
    arms.push(also(`low-${other.low}`, { range: other, connects: Math.round(arm.connects * MOVED_FILL) }));
  }
  if (wanted("sources") && family === "ipv4" && strategy === "plain") {
    const changed = sources === 1
      ? { sources: 2, connects: Math.round(ports * TWO_SOURCES_FILL) }
      : { sources: 1, connects: ports };
    arms.push(also(sources === 1 ? "2-sources" : "1-source", changed));
  }
  if (wanted("family") && strategy === "plain") {
    const changed = family === "ipv4" ? "ipv6" : "ipv4";
    arms.push(also(changed, { family: changed, sources: 1, connects: ports }));
  }
  if (wanted("windows") && strategy === "window") {
    const sizes = ["1", ...STATED_WINDOWS.filter((size) => size !== window)];
    for (const size of sizes) {
      arms.push(also(size === "1" ? "1-port" : size, { windowPorts: windowPorts(size, ports) }));
    }
  }
  return arms;
}
