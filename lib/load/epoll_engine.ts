import type { FailureName, Phase } from "../record/mod.ts";
import { Epoll, PinnedBytes, RawSocket, SocketAddress } from "../system/mod.ts";
import { encodeRequest, RepeatedResponse, ResponseParser } from "../transport/mod.ts";
import { type Engine, type EngineJob, MOST_OPENING, RETRY_PAUSE_MS } from "./engine.ts";

const BUFFER_BYTES = 65_536;
/** Events of one wait, at most: what is due meanwhile waits behind them. */
const EVENTS = 64;
/** Requests that begin between two waits, at most: what has come meanwhile waits behind them. */
const BEGINNINGS = 64;
/** How soon the loop hears that it is stopped. */
const LONGEST_WAIT_MS = 50;
/** How exact a limit in time is. */
const TIMEOUT_STEP_MS = 5;

/** What a slot's connection does. Closed or idle, it waits for its next request to begin. */
const CLOSED = 0;
const CONNECTING = 1;
const IDLE = 2;
/** Its request is sent, and no byte of the response has come. */
const WAITING = 3;
const RECEIVING = 4;

/** In which phase a request fails, by what its connection does then: an idle one is about to send it. */
const PHASES: readonly Phase[] = ["connect", "connect", "send", "wait", "receive"];

/**
 * Makes load by epoll(7) over sockets that do not block, all in the calling thread.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @param job what is to be done
 */
export const epollEngine: Engine = (job) => {
  using loop = new EpollLoop(job);
  loop.run();
  return Promise.resolve();
};

class EpollLoop implements Disposable {
  readonly #job: EngineJob;
  readonly #timeoutMs: number;
  readonly #mostOpening: number;
  readonly #epoll = new Epoll(EVENTS);
  readonly #addresses: readonly SocketAddress[];
  readonly #requests: readonly PinnedBytes[];
  readonly #states: Uint8Array;
  readonly #sockets: (RawSocket | null)[];
  readonly #parsers: readonly ResponseParser[];
  readonly #buffer = new PinnedBytes(BUFFER_BYTES);
  /** A response that came whole with one receive, and what it is. */
  readonly #known = new RepeatedResponse(this.#buffer.bytes);
  #knownStatus = 0;
  #knownBodyBytes = 0;
  /** The slots that are free, a stack: the connection that was used last is used first, as in a pool. */
  readonly #free: Int32Array;
  #freeCount = 0;
  /** Connections that are being opened. */
  #opening = 0;
  /** Slots that rest after a connect that failed, the first to be free first. */
  readonly #resting: { readonly slot: number; readonly untilMs: number }[] = [];
  /** The time of the event that is dealt with: the clock is looked at once for each. */
  #nowMs = 0;
  #checkedMs = 0;

  constructor(job: EngineJob) {
    const { plan: { method, timeoutMs, arrivals }, targets, connections } = job;
    this.#job = job;
    this.#mostOpening = arrivals.loop === "closed" ? MOST_OPENING : Infinity;
    this.#timeoutMs = timeoutMs ?? Infinity;
    this.#addresses = targets.map(({ address, port }) => new SocketAddress(address, port));
    this.#requests = targets.map((target) => new PinnedBytes(encodeRequest({ method, ...target })));
    this.#states = new Uint8Array(connections);
    this.#sockets = Array.from({ length: connections }, () => null);
    this.#parsers = Array.from({ length: connections }, () => new ResponseParser());
    this.#free = new Int32Array(connections);
    // The C library is opened before the load begins, and not by its first request.
    const probe = RawSocket.open();
    if (probe.ok) probe.socket.close();
    for (let slot = connections - 1; slot >= 0; slot--) this.#free[this.#freeCount++] = slot;
  }

  run(): void {
    const { now, goesOn } = this.#job;
    for (this.#nowMs = now(); goesOn(this.#nowMs); this.#nowMs = now()) {
      this.#beginDue();
      const count = this.#epoll.wait(this.#idleMs());
      for (let index = 0; index < count; index++) {
        const slot = this.#epoll.token(index);
        const state = this.#states[slot]!;
        if (state === CONNECTING) this.#finishConnect(slot);
        else if (state === IDLE) this.#close(slot);
        else if (this.#epoll.hasError(index)) this.#receiveLast(slot);
        else this.#receive(slot);
      }
      this.#endLate();
    }
  }

  /** Begins what is due, as far as slots are free. */
  #beginDue(): void {
    const { now } = this.#job;
    while (this.#resting.length > 0 && this.#resting[0]!.untilMs <= this.#nowMs) {
      this.#free[this.#freeCount++] = this.#resting.shift()!.slot;
    }
    for (let begun = 0; begun < BEGINNINGS && this.#mayBegin; begun++) {
      if (!this.#begin(this.#free[--this.#freeCount]!)) {
        this.#freeCount++;
        return;
      }
      this.#nowMs = now();
    }
  }

  get #mayBegin(): boolean {
    return this.#freeCount > 0 && this.#opening < this.#mostOpening;
  }

  /** How long nothing but events can give something to do. */
  #idleMs(): number {
    const dueMs = this.#mayBegin ? this.#job.agenda.nextMs : Infinity;
    const freeMs = this.#resting[0]?.untilMs ?? Infinity;
    const longestMs = this.#timeoutMs < Infinity ? TIMEOUT_STEP_MS : LONGEST_WAIT_MS;
    return Math.max(0, Math.min(dueMs - this.#nowMs, freeMs - this.#nowMs, longestMs));
  }

  /** A slot's request has come to its end: it takes the next one, or is free. */
  #release(slot: number): void {
    if (!this.#begin(slot)) this.#free[this.#freeCount++] = slot;
  }

  /** Begins the request that is due, if one is. */
  #begin(slot: number): boolean {
    const { agenda, tally } = this.#job;
    const intendedMs = agenda.take(this.#nowMs);
    if (intendedMs < 0) return false;
    const isFresh = this.#states[slot] === CLOSED;
    tally.begin(slot, intendedMs, this.#nowMs, isFresh);
    if (isFresh) this.#connect(slot);
    else this.#send(slot);
    return true;
  }

  #connect(slot: number): void {
    const address = this.#address(slot);
    const opened = RawSocket.open({ blocking: false, family: address.family });
    if (!opened.ok) return this.#fail(slot, opened.kind);
    const { socket } = opened;
    socket.setOption("noDelay", true);
    this.#sockets[slot] = socket;
    this.#states[slot] = CONNECTING;
    this.#opening++;
    socket.connectTo(address);
    // The first event tells also of a connect that could not begin.
    this.#epoll.add(socket, slot, { writable: true });
  }

  #finishConnect(slot: number): void {
    const socket = this.#sockets[slot]!;
    this.#nowMs = this.#job.now();
    const error = socket.takeError();
    if (error !== null || socket.peer === null) {
      return this.#fail(slot, error ?? socket.whyNotConnected(this.#address(slot)) ?? "other");
    }
    this.#job.tally.opened();
    this.#opening--;
    this.#states[slot] = IDLE;
    this.#epoll.change(socket, slot, { readable: true });
    this.#send(slot);
  }

  #send(slot: number): void {
    const socket = this.#sockets[slot]!;
    const request = this.#requests[slot % this.#requests.length]!;
    // An empty send buffer takes a request whole: anything else means that the connection is broken.
    if (request.sendTo(socket) === request.bytes.length) this.#states[slot] = WAITING;
    else this.#fail(slot, socket.takeError() ?? "reset");
  }

  #receive(slot: number): void {
    const socket = this.#sockets[slot]!;
    const size = this.#buffer.receiveFrom(socket);
    this.#nowMs = this.#job.now();
    if (size > 0) this.#takeBytes(slot, size, true);
    else if (size === 0) this.#takeEnd(slot);
    else if (socket.peer === null) this.#fail(slot, "reset");
  }

  /** Takes what came before an error, which overtakes it: the response may be whole all the same. */
  #receiveLast(slot: number): void {
    const socket = this.#sockets[slot]!;
    const error = socket.takeError() ?? "reset";
    this.#nowMs = this.#job.now();
    for (;;) {
      const size = this.#buffer.receiveFrom(socket);
      if (size <= 0) break;
      if (this.#takeBytes(slot, size, false)) return;
    }
    this.#fail(slot, error);
  }

  /** Frames what is in the buffer, and tells whether the request has come to its end with it. */
  #takeBytes(slot: number, size: number, mayPersist: boolean): boolean {
    const isFirst = this.#states[slot] === WAITING;
    if (isFirst && this.#known.matches(size)) {
      this.#answer(slot, this.#knownStatus, this.#knownBodyBytes, mayPersist);
      return true;
    }
    const parser = this.#parsers[slot]!;
    if (isFirst) parser.begin(this.#job.plan.method);
    this.#states[slot] = RECEIVING;
    const used = parser.feed(this.#buffer.bytes, size);
    const { state, status, bodyBytes } = parser;
    if (state === "reading") return false;
    if (state === "done") {
      const isAlone = used === size && parser.persistent;
      if (isFirst && isAlone && this.#known.keep(size)) {
        this.#knownStatus = status!;
        this.#knownBodyBytes = bodyBytes;
      }
      // Bytes that nobody asked for leave open where the next response begins: RFC 9112 §9.2.
      this.#answer(slot, status!, bodyBytes, mayPersist && isAlone);
    } else {
      this.#fail(slot, "bad-response");
    }
    return true;
  }

  /** Takes the end of the connection, which may be the end of the response. */
  #takeEnd(slot: number): void {
    const parser = this.#parsers[slot]!;
    if (this.#states[slot] === RECEIVING) {
      parser.end();
      if (parser.state === "done") return this.#answer(slot, parser.status!, parser.bodyBytes, false);
    }
    this.#fail(slot, "closed-early");
  }

  #answer(slot: number, status: number, bodyBytes: number, persists: boolean): void {
    this.#job.tally.answer(slot, status, bodyBytes, this.#nowMs);
    if (persists) this.#states[slot] = IDLE;
    else this.#close(slot);
    this.#release(slot);
  }

  #fail(slot: number, kind: FailureName): void {
    const phase = PHASES[this.#states[slot]!]!;
    this.#job.tally.fail(slot, phase, kind, this.#nowMs);
    this.#close(slot);
    if (phase === "connect") this.#resting.push({ slot, untilMs: this.#nowMs + RETRY_PAUSE_MS });
    else this.#release(slot);
  }

  /** Gives up the requests whose time is over, but for what has come and was not read yet: that is this side's delay. */
  #endLate(): void {
    if (this.#nowMs - this.#checkedMs < TIMEOUT_STEP_MS || this.#timeoutMs === Infinity) return;
    this.#checkedMs = this.#nowMs;
    for (let slot = 0; slot < this.#states.length; slot++) {
      if (!this.#isLate(slot)) continue;
      if (this.#states[slot] !== CONNECTING) this.#receive(slot);
      if (this.#isLate(slot)) this.#fail(slot, "timed-out");
    }
  }

  #isLate(slot: number): boolean {
    return this.#nowMs - this.#job.tally.startedMs(slot) >= this.#timeoutMs;
  }

  #address(slot: number): SocketAddress {
    return this.#addresses[slot % this.#addresses.length]!;
  }

  #close(slot: number): void {
    this.#sockets[slot]?.close();
    this.#sockets[slot] = null;
    if (this.#states[slot]! >= IDLE) this.#job.tally.closed();
    else if (this.#states[slot] === CONNECTING) this.#opening--;
    this.#states[slot] = CLOSED;
  }

  [Symbol.dispose](): void {
    for (let slot = 0; slot < this.#states.length; slot++) this.#close(slot);
    this.#epoll[Symbol.dispose]();
  }
}
