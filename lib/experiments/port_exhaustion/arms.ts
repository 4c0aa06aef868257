import { MisuseError } from "../../record/mod.ts";
import {
  countPorts,
  parsePortList,
  type PortBinding,
  type PortBudget,
  portBudget,
  type PortRange,
} from "../../system/mod.ts";
import type { Values } from "./params.ts";

/** What is measured in one network: how its connections are made and closed. */
export interface Arm {
  /** Its name: `base` as the run was asked for, else in what it differs from that. */
  readonly variant: string;
  /** `net.ipv4.tcp_tw_reuse`. */
  readonly reuse: number;
  /** Addresses that are connected to. */
  readonly destinations: number;
  /** Addresses that are connected from. */
  readonly sources: number;
  /** How a client comes by its port. */
  readonly bind: PortBinding;
  /** Whether the client sets SO_REUSEADDR. */
  readonly reuseAddress: boolean;
  /** The side that closes first. */
  readonly closes: "client" | "server";
  /** Whether it resets the connection. */
  readonly linger0: boolean;
}

/** The ports that clients may have. */
export interface Ports {
  /** The first and the last. */
  readonly range: PortRange;
  /** Those among them that are not given away, as the kernel has them. */
  readonly reserved: string;
}

/** The name of the arm that is as the run was asked for. */
export const BASE = "base";

/** Where Linux has its own range begin. */
const FIRST_PORT = 32_768;

/**
 * The private range of a run.
 *
 * @param params the parameters
 * @returns the range
 * @throws {MisuseError} it has an odd number of ports, or those that are reserved are no ports or leave none
 */
export function portsOf({ ports, reserved }: Pick<Values, "ports" | "reserved">): Ports {
  if (ports % 2 !== 0) {
    throw new MisuseError(
      `Cannot predict for ${ports} ports as it is left to chance whether connect() finds the last one of an odd ` +
        "number: give an even number",
    );
  }
  const range: PortRange = [FIRST_PORT, FIRST_PORT + ports - 1];
  let usable: number;
  try {
    usable = countPorts(range, parsePortList(reserved));
  } catch (cause) {
    throw new MisuseError(
      "Cannot use --reserved as it must be ports such as 8080,9000-9100, the lower one first and none above 65535: " +
        `current value is ${reserved}`,
      { cause },
    );
  }
  if (usable > 0) return { range, reserved };
  throw new MisuseError(`Cannot use range ${range.join("-")} as all of it is reserved: reserve fewer ports`);
}

/**
 * What a run measures, in order.
 *
 * @param params the parameters
 * @returns the arm that was asked for, then those that differ from it in one setting
 * @throws {MisuseError} several sources were asked for without bind()
 */
export function armsOf(params: Omit<Values, "ports" | "reserved" | "watchTimeWait">): Arm[] {
  const { destinations, sources, bind, closes, linger0, compare } = params;
  if (sources > 1 && bind === "none") {
    throw new MisuseError(
      `Cannot use ${sources} sources without bind() as the system chooses the same one every time: ` +
        "give --bind no-port or --bind first",
    );
  }
  const reuse = Number(params.timeWaitReuse);
  const base: Arm = {
    ...{ variant: BASE, reuse, destinations, sources, bind, closes, linger0 },
    reuseAddress: false,
  };
  return compare ? [base, ...companions(base)] : [base];
}

function companions(base: Arm): Arm[] {
  const also = (variant: string, change: Partial<Arm>): Arm => ({ ...base, ...change, variant });
  const count = (name: "destinations" | "sources") => base[name] === 1 ? 2 : 1;
  const [destinations, sources] = [count("destinations"), count("sources")];
  const named = base.bind === "none" ? "no-port" : base.bind;
  const binds = (["none", "no-port", "first"] as const)
    .filter((bind) => bind !== base.bind && (bind !== "none" || base.sources === 1))
    .map((bind) => also(`bind-${bind}`, { bind }));
  const closes = base.closes === "client" ? "server" : "client";
  return [
    ...[0, 1, 2].filter((reuse) => reuse !== base.reuse).map((reuse) => also(`reuse-${reuse}`, { reuse })),
    also(`destinations-${destinations}`, { destinations }),
    also(`sources-${sources}`, { sources, bind: named }),
    ...binds,
    ...(base.bind === "first" || base.destinations > 1
      ? []
      : [also(`destinations-${destinations}/bind-first`, { destinations, bind: "first" })]),
    also("reuse-address", { reuseAddress: true }),
    ...(base.bind === "first"
      ? []
      : [also("reuse-address/bind-first", { reuseAddress: true, bind: "first" })]),
    also(`${closes}-closes`, { closes }),
    also(base.linger0 ? "no-linger" : "linger-0", { linger0: !base.linger0 }),
  ];
}

/**
 * What is predicted of an arm.
 *
 * @param arm the arm
 * @param ports the range
 * @param options how long TIME_WAIT lasts, in milliseconds, and whether the other side is reached over loopback
 * @returns the budget of its ports
 */
export function predict(
  arm: Omit<Arm, "variant">,
  ports: Ports,
  options: { readonly timeWaitMs: number; readonly loopback: boolean },
): PortBudget {
  const { reuse, destinations, sources, bind, closes, linger0 } = arm;
  // The side that closes first is the one in TIME_WAIT, and one that resets is in none.
  const timeWaitMs = closes === "client" && !linger0 ? options.timeWaitMs : 0;
  return portBudget({ ...ports, ...options, timeWaitMs, reuse, destinations, sources, bind });
}

/** The ends of a connection, as far as they tell which port is in use. */
export interface Ends {
  /** The last number of the client's address. */
  readonly source: number;
  /** The client's port. */
  readonly port: number;
  /** The last number of the server's address: every server has the same port. */
  readonly destination: number;
}

/**
 * What only one connection can have at a time: a port to a destination, or, where bind() takes it, a port.
 *
 * @param arm how ports are come by
 * @param ends the ends of a connection
 * @returns a name for it
 */
export function slotOf({ bind }: Pick<Arm, "bind">, { source, port, destination }: Ends): string {
  return bind === "first" ? `${source} ${port}` : `${source} ${port} ${destination}`;
}
