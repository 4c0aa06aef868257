import type { Connection } from "../connection.ts";
import type { AcquireTimes } from "./acquire_error.ts";
import type { Clock } from "./clock.ts";
import { type Lender, Loan } from "./_loan.ts";
import type { Group, Member } from "./_member.ts";
import type {
  AcquireOptions,
  Lease,
  Origin,
  PoolCounts,
  PoolLimits,
  PoolOptions,
  Retirement,
} from "./options.ts";
import { type Settings, settingsOf } from "./_settings.ts";
import { Waiter } from "./_waiter.ts";
import { WatchedConnection } from "./_watched_connection.ts";

function closedError(): TypeError {
  return new TypeError("Cannot acquire connection as the pool is closed");
}

/**
 * Keeps connections, so that a request need not open one. For each origin there are a stack of idle
 * connections, a limit to how many there are, and a queue of those who wait for their turn.
 *
 * A request takes the idle connection that came back last. When there is none it opens one, or at the limit
 * waits until one comes back or makes room. What came back last is the least likely to have been ended by its
 * peer or forgotten on the way, and what the load does not need sinks to the bottom of the stack until its time
 * is up; taking turns would keep every connection alive that a burst has opened.
 *
 * A connection leaves when it is older than its lifetime, was idle too long, was ended by its peer, or cannot
 * carry another request. It is never cut while it is busy.
 *
 * @example
 * ```ts ignore
 * using pool = new Pool({
 *   connect: (address, { port }, signal) => connectTcp({ hostname: address, port, signal }),
 *   lifetimeMs: 60_000,
 *   lifetimeJitter: 0.1,
 *   idleTimeoutMs: 4000,
 *   maxPerOrigin: 10,
 * });
 * using lease = await pool.acquire({ hostname: "127.0.0.1", port: 8080 });
 * const { reusable } = await exchange(lease.connection, request, tools);
 * lease.release(reusable);
 * ```
 */
export class Pool implements Disposable {
  /** Time as the pool sees it. */
  readonly clock: Clock;
  readonly #settings: Settings;
  readonly #groups = new Map<string, Group>();
  /** One of them, or an empty one that was dropped. */
  #lastGroup: Group | undefined;
  /** All who have no connection yet, whether their turn has come or not. */
  readonly #waiters = new Set<Waiter>();
  readonly #closing = new AbortController();
  readonly #lender: Lender = {
    takeBack: (member, reusable) => this.#takeBack(member, reusable),
    replace: (member, options) => this.#replace(member, options),
  };
  readonly #retired: Record<Retirement, number> = {
    "lifetime": 0,
    "idle-timeout": 0,
    "idle-limit": 0,
    "peer-closed": 0,
    "not-reusable": 0,
    "pool-closed": 0,
  };
  #closed = false;
  #resolutions = 0;
  #opened = 0;
  #failedToOpen = 0;
  #reused = 0;
  #busy = 0;
  /** When the idle connections are looked at next, and what calls that off. */
  #sweepMs = Infinity;
  #cancelSweep: (() => void) | undefined;

  /**
   * Makes a pool without connections.
   *
   * @param options how it connects, and its limits
   * @throws {RangeError} a limit is out of its range
   */
  constructor(options: PoolOptions) {
    this.#settings = settingsOf(options);
    this.clock = this.#settings.clock;
  }

  /** The limits that are in effect, those of its defaults too. */
  get limits(): PoolLimits {
    const { lifetimeMs, lifetimeJitter, idleTimeoutMs, maxIdlePerOrigin, maxPerOrigin, maxWaiting } =
      this.#settings;
    return { lifetimeMs, lifetimeJitter, idleTimeoutMs, maxIdlePerOrigin, maxPerOrigin, maxWaiting };
  }

  /** What it has done so far, and what it holds now. */
  get counts(): PoolCounts {
    const groups = [...this.#groups.values()];
    return {
      resolutions: this.#resolutions,
      opened: this.#opened,
      failedToOpen: this.#failedToOpen,
      reused: this.#reused,
      retired: { ...this.#retired },
      busy: this.#busy,
      idle: groups.reduce((sum, { idle }) => sum + idle.length, 0),
      waiting: groups.reduce((sum, { queue }) => sum + queue.size, 0),
    };
  }

  /**
   * Borrows a connection.
   *
   * @param origin where it goes
   * @param options what gives up waiting
   * @returns the connection, to be given back by whoever asked for it
   * @throws {TypeError} the pool is closed
   * @throws {AcquireError} none could be had: opening it failed, the signal aborted, or the queue is full
   * @throws the reason of a signal that had aborted before
   */
  async acquire(origin: Origin, options: AcquireOptions = {}): Promise<Lease> {
    this.#throwIfClosed();
    options.signal?.throwIfAborted();
    const group = this.#groupOf(origin);
    const nowMs = this.clock.now();
    const idle = this.#takeIdle(group, nowMs);
    if (idle) return this.#lend(idle, nowMs);
    const waiter = this.#welcome(group, options);
    if (group.size < this.#settings.maxPerOrigin) this.#open(group, waiter);
    else if (group.queue.size < this.#settings.maxWaiting) group.queue.add(waiter);
    else waiter.fail();
    return await waiter.lease;
  }

  /**
   * Closes the idle connections at once, busy ones when they come back, and turns away who waits. Closing once
   * more does nothing.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelSweep?.();
    for (const waiter of this.#waiters) waiter.reject(closedError());
    for (const { idle } of this.#groups.values()) {
      for (const member of idle.splice(0)) this.#discard(member, "pool-closed");
    }
    this.#closing.abort(closedError());
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    this.close();
  }

  #throwIfClosed(): void {
    if (this.#closed) throw closedError();
  }

  #groupOf({ hostname, port }: Origin): Group {
    const last = this.#lastGroup;
    // Most requests go where the one before went, and making a key takes as long as all else that lends one.
    if (last?.size && last.origin.hostname === hostname && last.origin.port === port) return last;
    const key = `${hostname} ${port}`;
    let group = this.#groups.get(key);
    if (!group) {
      this.#groups.set(key, group = { key, origin: { hostname, port }, size: 0, idle: [], queue: new Set() });
    }
    return this.#lastGroup = group;
  }

  #welcome({ origin, queue }: Group, { signal }: AcquireOptions): Waiter {
    const waiter = new Waiter(origin, this.clock, signal, () => {
      this.#waiters.delete(waiter);
      queue.delete(waiter);
    });
    this.#waiters.add(waiter);
    return waiter;
  }

  /** The idle connection that came back last. The timer may be late, so that the clock has the last word. */
  #takeIdle(group: Group, nowMs: number): Member | undefined {
    for (;;) {
      const member = group.idle.pop();
      if (!member || this.#dueMs(member) > nowMs) return member;
      this.#discard(member, this.#dueReason(member));
    }
  }

  /** Opens a connection for a waiter whose turn has come. Should the waiter leave, others have use for it. */
  async #open(group: Group, waiter: Waiter): Promise<void> {
    const { origin } = group;
    const { connect, resolve } = this.#settings;
    let address = origin.hostname;
    let connection: Connection;
    group.size++;
    group.queue.delete(waiter);
    try {
      if (resolve) {
        waiter.enter("dns");
        this.#resolutions++;
        address = await resolve(origin.hostname);
        this.#throwIfClosed();
      }
      waiter.enter("connect", address);
      connection = await connect(address, origin, this.#closing.signal);
    } catch (cause) {
      this.#failedToOpen++;
      group.size--;
      waiter.fail(cause);
      return this.#useRoom(group);
    }
    const nowMs = this.clock.now();
    const member = this.#admit(group, address, connection, nowMs);
    if (waiter.settled) this.#place(member, nowMs);
    else waiter.give(this.#lend(member, nowMs, waiter.times));
  }

  #admit(group: Group, address: string, connection: Connection, nowMs: number): Member {
    const { lifetimeMs, lifetimeJitter, random, watchIdle } = this.#settings;
    const watched = watchIdle ? new WatchedConnection(connection, () => this.#lose(member)) : null;
    const member: Member = {
      group,
      id: ++this.#opened,
      address,
      connection: watched ?? connection,
      watched,
      openedMs: nowMs,
      endMs: nowMs + lifetimeMs * (1 - lifetimeJitter * random()),
      freeMs: nowMs,
      used: false,
    };
    return member;
  }

  #lend(member: Member, nowMs: number, times: AcquireTimes | null = null): Lease {
    member.watched?.unwatch();
    const loan = new Loan(this.#lender, member, nowMs, times);
    if (member.used) this.#reused++;
    member.used = true;
    this.#busy++;
    return loan;
  }

  #takeBack(member: Member, reusable: boolean): number {
    const nowMs = this.clock.now();
    this.#busy--;
    member.freeMs = nowMs;
    if (reusable) this.#place(member, nowMs);
    else this.#retire(member, "not-reusable");
    return nowMs;
  }

  /** What it held makes room for what it gets, so that nobody comes between. */
  async #replace(member: Member, options: AcquireOptions): Promise<Lease> {
    this.#busy--;
    this.#discard(member, "not-reusable");
    this.#throwIfClosed();
    const waiter = this.#welcome(member.group, options);
    this.#open(member.group, waiter);
    return await waiter.lease;
  }

  /** Finds a use for a connection that is free: it goes to who has waited longest, else on the stack. */
  #place(member: Member, nowMs: number): void {
    const { idle, queue } = member.group;
    if (this.#closed) return this.#retire(member, "pool-closed");
    if (member.endMs <= nowMs) return this.#retire(member, "lifetime");
    const [waiter] = queue;
    if (waiter) return waiter.give(this.#lend(member, nowMs, waiter.times));
    if (idle.length >= this.#settings.maxIdlePerOrigin) return this.#retire(member, "idle-limit");
    idle.push(member);
    member.watched?.watch();
    this.#sweepBy(this.#dueMs(member));
  }

  /** The peer has ended an idle connection, or says what nobody asked for. */
  #lose(member: Member): void {
    const { idle } = member.group;
    idle.splice(idle.indexOf(member), 1);
    this.#retire(member, "peer-closed");
  }

  #retire(member: Member, reason: Retirement): void {
    this.#discard(member, reason);
    this.#useRoom(member.group);
  }

  #discard(member: Member, reason: Retirement): void {
    member.connection.close();
    member.group.size--;
    this.#retired[reason]++;
  }

  /** There may be one connection more to an origin: whoever has waited longest opens it. */
  #useRoom(group: Group): void {
    const [waiter] = group.queue;
    if (waiter === undefined) {
      if (group.size === 0) this.#groups.delete(group.key);
    } else if (group.size < this.#settings.maxPerOrigin) this.#open(group, waiter);
  }

  /** When an idle connection is to go. */
  #dueMs({ endMs, freeMs }: Member): number {
    return Math.min(endMs, freeMs + this.#settings.idleTimeoutMs);
  }

  #dueReason(member: Member): Retirement {
    return member.endMs === this.#dueMs(member) ? "lifetime" : "idle-timeout";
  }

  /**
   * Makes sure that idle connections are looked at by then. When one is taken, the timer stays: to find nothing
   * due once is cheaper than to set a timer for every request.
   */
  #sweepBy(dueMs: number): void {
    if (dueMs >= this.#sweepMs) return;
    this.#cancelSweep?.();
    this.#sweepMs = dueMs;
    this.#cancelSweep = this.clock.after(() => this.#sweep(), dueMs - this.clock.now());
  }

  #sweep(): void {
    const nowMs = this.clock.now();
    let nextMs = Infinity;
    for (const group of this.#groups.values()) {
      group.idle = group.idle.filter((member) => {
        const dueMs = this.#dueMs(member);
        if (dueMs <= nowMs) this.#discard(member, this.#dueReason(member));
        else nextMs = Math.min(nextMs, dueMs);
        return dueMs > nowMs;
      });
      this.#useRoom(group);
    }
    this.#sweepMs = Infinity;
    this.#sweepBy(nextMs);
  }
}
