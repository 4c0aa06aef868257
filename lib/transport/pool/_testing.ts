import { setImmediate } from "node:timers/promises";
import type { Connection } from "../connection.ts";
import type { Clock } from "./clock.ts";
import { Pool } from "./pool.ts";
import type { Lease, Origin, PoolOptions, Retirement } from "./options.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Where the requests of tests go. */
export const ORIGIN: Origin = { hostname: "example.test", port: 80 };

/** A clock that a test moves. */
export class FakeClock implements Clock {
  readonly #timers = new Map<() => void, number>();
  #nowMs = 1000;

  now(): number {
    return this.#nowMs;
  }

  after(callback: () => void, delayMs: number): () => void {
    const timer = () => callback();
    this.#timers.set(timer, this.#nowMs + delayMs);
    return () => this.#timers.delete(timer);
  }

  /** After how long each timer that is set goes off, the earliest first. */
  get delaysMs(): number[] {
    return [...this.#timers.values()].map((atMs) => atMs - this.#nowMs).sort((a, b) => a - b);
  }

  /** Lets time go by, timer by timer. */
  async advance(ms: number): Promise<void> {
    await flush();
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a - b);
      if (!next || next[1] > endMs) break;
      this.#timers.delete(next[0]);
      this.#nowMs = Math.max(this.#nowMs, next[1]);
      next[0]();
      await flush();
    }
    this.#nowMs = endMs;
  }

  /** Moves the hand only: a timer that is late. */
  passUnnoticed(ms: number): void {
    this.#nowMs += ms;
  }
}

/** A connection whose peer is the test. */
export class FakeConnection implements Connection {
  readonly connectMs = 1;
  readonly tlsMs = null;
  readonly protocol = null;
  /** What was sent over it. */
  readonly sent: string[] = [];
  closed = false;
  #arrived: (Uint8Array | null | Error)[] = [];
  #reader: (() => void) | null = null;

  constructor(
    readonly localPort: number,
    readonly address: string,
    readonly onSend: (text: string) => void = () => {},
  ) {}

  /** The peer sends. */
  say(text: string): void {
    this.#arrive(encoder.encode(text));
  }

  /** The peer ends its side. */
  end(): void {
    this.#arrive(null);
  }

  /** The peer resets. */
  reset(): void {
    this.#arrive(new Deno.errors.ConnectionReset("Connection reset by peer (os error 104)"));
  }

  /** Whether somebody waits for what the peer says. */
  get isRead(): boolean {
    return this.#reader !== null;
  }

  async read(into: Uint8Array): Promise<number | null> {
    while (this.#arrived.length === 0 && !this.closed) {
      await new Promise<void>((wake) => this.#reader = wake);
    }
    const next = this.#arrived[0];
    if (this.closed || next === undefined) throw new Deno.errors.BadResource("The connection is closed");
    if (next instanceof Error) throw next;
    if (next === null) return null;
    const piece = next.subarray(0, into.length);
    into.set(piece);
    if (piece.length < next.length) this.#arrived[0] = next.subarray(piece.length);
    else this.#arrived.shift();
    return piece.length;
  }

  writeAll(bytes: Uint8Array): Promise<void> {
    if (this.closed) return Promise.reject(new Deno.errors.BadResource("The connection is closed"));
    this.sent.push(decoder.decode(bytes));
    this.onSend(this.sent.at(-1)!);
    return Promise.resolve();
  }

  close(): void {
    this.closed = true;
    this.#wake();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #arrive(what: Uint8Array | null | Error): void {
    this.#arrived.push(what);
    this.#wake();
  }

  #wake(): void {
    this.#reader?.();
    this.#reader = null;
  }
}

/** A connection that is being opened: the test says what becomes of it. */
export interface Opening {
  readonly address: string;
  readonly signal: AbortSignal;
  /** It stands. */
  succeed(): FakeConnection;
  /** It is refused. */
  refuse(): void;
}

/** A pool whose clock stands still, and whose connections open and answer as the test says. */
export class Bench implements Disposable {
  readonly pool: Pool;
  readonly clock: FakeClock = new FakeClock();
  /** Connections that are being opened, in order. */
  readonly openings: Opening[] = [];
  /** Connections that stand or stood, in order. */
  readonly connections: FakeConnection[] = [];
  /** Told of every connection that is being opened. */
  onOpen: (opening: Opening) => void = () => {};
  /** Told of whatever is sent over one. */
  onSend: (connection: FakeConnection, text: string) => void = () => {};

  constructor(options: Partial<PoolOptions> = {}) {
    const connect: PoolOptions["connect"] = (address, _, signal) => this.#connect(address, signal);
    this.pool = new Pool({ connect, clock: this.clock, ...options });
  }

  [Symbol.dispose](): void {
    this.pool.close();
  }

  #connect(address: string, signal: AbortSignal): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const take = () => this.openings.splice(this.openings.indexOf(opening), 1);
    const opening: Opening = {
      address,
      signal,
      succeed: () => {
        take();
        const connection = new FakeConnection(
          50_001 + this.connections.length,
          address,
          (text) => this.onSend(connection, text),
        );
        this.connections.push(connection);
        resolve(connection);
        return connection;
      },
      refuse: () => {
        take();
        reject(new Deno.errors.ConnectionRefused("Connection refused (os error 111)"));
      },
    };
    this.openings.push(opening);
    this.onOpen(opening);
    return promise;
  }
}

/** Lets everything go on that waits for no time and no network. */
export function flush(): Promise<void> {
  return setImmediate();
}

/** Borrows a connection, which is opened at once if it must be. */
export async function lend({ pool, openings }: Bench, origin: Origin = ORIGIN): Promise<Lease> {
  const asked = pool.acquire(origin);
  openings[0]?.succeed();
  return await asked;
}

/** Borrows several at once. */
export async function lendMany(bench: Bench, count: number): Promise<Lease[]> {
  const leases: Lease[] = [];
  while (leases.length < count) leases.push(await lend(bench));
  return leases;
}

/** Who retired, and why. */
export function retired({ pool }: Bench): Partial<Record<Retirement, number>> {
  return Object.fromEntries(Object.entries(pool.counts.retired).filter(([, count]) => count > 0));
}

/** A response with a body of a given length. */
export function respond(body: string, fields = ""): string {
  return `HTTP/1.1 200 OK\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`;
}
