/** A range of ports, both ends included. */
export interface PortRange {
  /** The first port. */
  readonly low: number;
  /** The last one. */
  readonly high: number;
}

/** How a walk over ports ended. */
export interface Walked {
  /** The port that was found; `null` when none was free. */
  readonly port: number | null;
  /** How many ports were tried, the one that was found included. */
  readonly tried: number;
}

/** The ports of a range that are taken, as one source address and one destination see them. */
export class Ports {
  /** The range. */
  readonly range: PortRange;
  readonly #taken: Uint8Array;
  /** Free ports of the low end's parity, and of the other. */
  readonly #free: [number, number];

  /**
   * Begins with no port taken.
   *
   * @param range the range
   */
  constructor(range: PortRange) {
    const count = range.high - range.low + 1;
    this.range = range;
    this.#taken = new Uint8Array(count);
    this.#free = [Math.ceil(count / 2), Math.floor(count / 2)];
  }

  /**
   * Whether a port of the range is taken.
   *
   * @param port the port
   * @returns whether it is
   */
  isTaken(port: number): boolean {
    return this.#taken[port - this.range.low] === 1;
  }

  /**
   * Takes a port that is free.
   *
   * @param port the port
   */
  take(port: number): void {
    const offset = port - this.range.low;
    if (this.#taken[offset] === 1) return;
    this.#taken[offset] = 1;
    this.#free[offset & 1]!--;
  }

  /**
   * How many ports of a parity are free.
   *
   * @param offset the distance of such a port from the low end
   * @returns how many
   */
  freeLike(offset: number): number {
    return this.#free[offset & 1]!;
  }
}

/** What a walk over one parity, or over both, is told. */
interface Pass {
  /** The ports, of which one is looked for. */
  readonly ports: Ports;
  /** The part of them that is walked over. */
  readonly range: PortRange;
  /** The distance of the first port that is tried from the low end. */
  readonly offset: number;
  /** From one port to the next. */
  readonly step: number;
  /** The size of the range as the kernel counts it. */
  readonly size: number;
}

/** Tries ports from an offset on, around the end of the range; `distance` is how far it came. */
function pass({ ports, range, offset, step, size }: Pass): Walked & { readonly distance: number } {
  const tries = Math.ceil(size / step);
  const none = { port: null, tried: tries, distance: size };
  // All of them are taken: there is no need to look at each, as the kernel does.
  if (step === 2 && ports.freeLike(range.low + offset - ports.range.low) === 0) return none;
  let port = range.low + offset;
  for (let distance = 0; distance < size; distance += step, port += step) {
    if (port > range.high) port -= size;
    if (!ports.isTaken(port)) return { port, tried: distance / step + 1, distance };
  }
  return none;
}

/** The size of a range as the kernel counts it where it walks over one parity: an even number. */
function evenSize({ low, high }: PortRange): number {
  const size = high - low + 1;
  return size > 1 ? size - size % 2 : size;
}

/**
 * How connect() chooses a port on Linux, for one source address and one destination. It begins where a hash of the
 * two and of the destination's port points, tries every second port (those with the parity of the low end) until one
 * is free, and only when it has been through all of them tries the others. The next walk begins a few ports behind
 * the one that was found, at random. A socket with a range of its own (IP_LOCAL_PORT_RANGE) has every port tried, one
 * after another, since Linux 6.8; before, it was as for all.
 *
 * Source: `__inet_hash_connect` in net/ipv4/inet_hashtables.c of Linux 6.8; RFC 6056, section 3.3.4 (algorithm 4).
 *
 * @example
 * ```ts
 * import { ConnectWalk, Ports } from "./walk.ts";
 * import { assertEquals } from "@std/assert";
 * const ports = new Ports({ low: 100, high: 107 });
 * for (const port of [100, 102, 104]) ports.take(port);
 * const walk = new ConnectWalk({ hash: 0, mixesParities: true, random: () => 0 });
 * assertEquals(walk.next(ports), { port: 106, tried: 4 });
 * ```
 */
export class ConnectWalk {
  /** The hash with what has been added to it: `table_perturb` in the kernel. */
  #start: number;
  readonly #mixesParities: boolean;
  readonly #random: () => number;

  /**
   * @param options the hash of addresses and port as a whole number below 2³², whether the kernel is 6.8 or later,
   * and random numbers in [0, 1)
   */
  constructor(options: ConnectWalkOptions) {
    this.#start = options.hash;
    this.#mixesParities = options.mixesParities;
    this.#random = options.random;
  }

  /**
   * Looks for a free port. It is not taken yet.
   *
   * @param ports the ports
   * @param own the socket's own range. @default {none: the whole range}
   * @returns the port, and how many were tried
   */
  next(ports: Ports, own: PortRange | null = null): Walked {
    const range = own ?? ports.range;
    const isMixed = own !== null && this.#mixesParities;
    const step = isMixed ? 1 : 2;
    const size = isMixed ? range.high - range.low + 1 : evenSize(range);
    const offset = this.#start % size;
    const first = isMixed ? offset : offset - offset % 2;
    let found = pass({ ports, range, offset: first, step, size });
    let tried = found.tried;
    if (found.port === null && !isMixed && size > 1) {
      found = pass({ ports, range, offset: first + 1, step, size });
      tried += found.tried;
    }
    if (found.port !== null) {
      const further = Math.max(found.distance, Math.floor(this.#random() * 8) * step) + step;
      this.#start = (this.#start + further) % 2 ** 32;
    }
    return { port: found.port, tried };
  }
}

/** What {@linkcode ConnectWalk} is told. */
export interface ConnectWalkOptions {
  /** The hash of the addresses and of the destination's port, a whole number below 2³². */
  readonly hash: number;
  /** Whether the kernel tries ports of both parities where a socket has a range of its own: 6.8 and later. */
  readonly mixesParities: boolean;
  /** Random numbers in [0, 1). */
  readonly random: () => number;
}

/**
 * How bind() to port 0 chooses a port on Linux: from a random one on it tries every second port, those that connect()
 * does not prefer, and then the others. It is not taken yet.
 *
 * Source: `inet_csk_find_open_port` in net/ipv4/inet_connection_sock.c of Linux 6.8.
 *
 * @param ports the ports
 * @param random random numbers in [0, 1)
 * @returns the port, and how many were tried
 *
 * @example
 * ```ts
 * import { bindWalk, Ports } from "./walk.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(bindWalk(new Ports({ low: 100, high: 107 }), () => 0), { port: 101, tried: 1 });
 * ```
 */
export function bindWalk(ports: Ports, random: () => number): Walked {
  const { range } = ports;
  const size = evenSize(range);
  const offset = Math.floor(random() * size) | 1;
  const first = pass({ ports, range, offset, step: 2, size });
  if (first.port !== null || size === 1) return { port: first.port, tried: first.tried };
  const second = pass({ ports, range, offset: offset - 1, step: 2, size });
  return { port: second.port, tried: first.tried + second.tried };
}
