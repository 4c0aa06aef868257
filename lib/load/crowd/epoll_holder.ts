import type { FailureName, Phase } from "../../record/mod.ts";
import { Epoll, pause, RawSocket, SocketAddress } from "../../system/mod.ts";
import { RepeatedResponse, type ResponseState } from "../../transport/mod.ts";
import { AcceptRoom } from "./accept_room.ts";
import { DripClock } from "./drip_clock.ts";
import { type CrowdHolder, DRIP, type HolderJob, openingOf } from "./holder.ts";
import { type Ledger, STATE } from "./ledger.ts";
import { ParserShelf } from "./parser_shelf.ts";

/**
 * How long the thread may be in here before it hears messages, in milliseconds: while connections are opened, and
 * after. A turn of its event loop that runs timers and all takes two.
 */
const SLICE_MS = { opening: 250, holding: 20 } as const;

/** How often it looks whether what was sent is acknowledged, in milliseconds: no event tells. */
const ACKNOWLEDGED_MS = 5;

/** How often it looks whether connections were accepted, in milliseconds. */
const ACCEPTED_MS = 1;

const RECEIVE_BYTES = 65_536;

/** Where a connection goes, made ready. */
interface Destination {
  readonly address: SocketAddress;
  readonly opening: Uint8Array<ArrayBuffer>;
}

/**
 * Holds connections by sockets that do not block, all of them watched at once: a silent one costs a socket, a place
 * in the ledger, and nothing else.
 */
export class EpollHolder implements CrowdHolder {
  readonly ledger: Ledger;
  readonly #job: HolderJob;
  readonly #destinations: readonly Destination[];
  readonly #epoll = new Epoll();
  readonly #sockets: (RawSocket | null)[];
  readonly #parsers = new ParserShelf();
  readonly #drips: DripClock | null;
  /** Where nobody answers, what is bound besides those that are opening; `null` where somebody does. */
  readonly #acceptRoom: AcceptRoom | null;
  readonly #received = new Uint8Array(RECEIVE_BYTES);
  /** A response that came whole with one receive, and its status. */
  readonly #known = new RepeatedResponse(this.#received);
  #knownStatus: number | null = null;
  /** Those over which something was sent that is not acknowledged yet. */
  readonly #unacknowledged = new Set<number>();
  readonly #settled = Promise.withResolvers<void>();
  /** None with a lower number is opening. */
  #oldest = 0;
  #isSettled = false;
  #isClosing = false;
  #loop: Promise<void> = Promise.resolve();

  /**
   * @param job what it holds
   * @throws {UnsupportedError} this system has no epoll
   */
  constructor(job: HolderJob) {
    const { plan: { behaviour }, targets, ledger } = job;
    this.ledger = ledger;
    this.#job = job;
    this.#destinations = targets.map((target) => ({
      address: new SocketAddress(target.address, target.port),
      opening: openingOf(behaviour, target),
    }));
    this.#sockets = new Array(ledger.size).fill(null);
    const dripMs = behaviour.kind === "half-header" ? behaviour.dripMs : null;
    this.#acceptRoom = behaviour.kind === "idle" ? null : new AcceptRoom(targets, job.burst);
    this.#drips = dripMs === null ? null : new DripClock(dripMs, Math.max(1, ledger.size));
  }

  /** Opens the connections. */
  open(): Promise<void> {
    this.#loop = this.#run();
    this.#loop.catch(reportError);
    return this.#settled.promise;
  }

  /** Closes them. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#loop;
  }

  async #run(): Promise<void> {
    using _epoll = this.#epoll;
    // A descriptor would outlive the thread.
    using _sockets = { [Symbol.dispose]: () => this.#sockets.forEach(reset) };
    while (!this.#isClosing) {
      const endMs = this.#job.now() + (this.#isSettled ? SLICE_MS.holding : SLICE_MS.opening);
      for (let nowMs = this.#job.now(); nowMs < endMs; nowMs = this.#job.now()) {
        this.#begin(endMs);
        this.#lookForAcknowledged();
        this.#wait(Math.min(endMs, this.#dueMs(nowMs)) - nowMs);
        if (this.#settle()) break;
      }
      await pause(0);
    }
    this.#settled.resolve();
  }

  /** Tells that each is open or has failed, when it first is so. */
  #settle(): boolean {
    if (this.#isSettled || !this.ledger.isSettled) return false;
    this.#isSettled = true;
    this.#settled.resolve();
    return true;
  }

  /** When something is to be done though nothing comes. */
  #dueMs(nowMs: number): number {
    if (this.#mayBegin) return this.#acceptRoom === null ? nowMs : nowMs + ACCEPTED_MS;
    const { timeoutMs } = this.#job.plan;
    const isOpening = timeoutMs !== null && this.ledger.opening > 0;
    const expiresMs = isOpening ? this.ledger.startOf(this.#oldest) + timeoutMs : Infinity;
    const looksMs = this.#unacknowledged.size > 0 ? nowMs + ACKNOWLEDGED_MS : Infinity;
    return Math.min(expiresMs, looksMs, this.#drips?.dueMs ?? Infinity);
  }

  #wait(timeoutMs: number): void {
    const count = this.#epoll.wait(Math.max(0, timeoutMs));
    const nowMs = this.#job.now();
    for (let index = 0; index < count; index++) this.#take(index, nowMs);
    this.#drip(nowMs);
    this.#expire(nowMs);
  }

  get #mayBegin(): boolean {
    return this.ledger.begun < this.ledger.size && this.ledger.opening < this.#job.burst;
  }

  /** Begins as many as may be opening at once, until a time: those that fail at once make room at once. */
  #begin(endMs: number): void {
    const { ledger } = this;
    for (let nowMs = this.#job.now(); nowMs < endMs && this.#mayBegin; nowMs = this.#job.now()) {
      if (this.#acceptRoom?.take(nowMs) === false) return;
      const connection = ledger.begin(nowMs);
      const { address } = this.#destinationOf(connection);
      const opened = RawSocket.open({ family: address.family, blocking: false });
      if (!opened.ok) ledger.failed(connection, "connect", opened.kind);
      else this.#connect(connection, opened.socket, address);
    }
  }

  #connect(connection: number, socket: RawSocket, address: SocketAddress): void {
    this.#sockets[connection] = socket;
    // On loopback the handshake is over when this returns, though it says that it is not.
    const kind = socket.connectTo(address) ? null : socket.takeError();
    if (kind !== null) return this.#fail(connection, "connect", kind);
    if (this.#send(connection, socket)) {
      this.#epoll.add(socket, connection, { readable: true });
    } else if (socket.localPort === 0) {
      this.#fail(connection, "connect", socket.whyNotConnected(address) ?? "other");
    } else {
      this.#epoll.add(socket, connection, { writable: true });
    }
  }

  /** Sends what the connection opens with; `false` while it does not stand. */
  #send(connection: number, socket: RawSocket): boolean {
    const { opening } = this.#destinationOf(connection);
    const nowMs = this.#job.now();
    if (socket.send(opening) !== opening.length) return false;
    this.ledger.connected(connection, nowMs);
    this.ledger.sent(connection, opening.length);
    if (this.#job.plan.behaviour.kind !== "idle") this.#unacknowledged.add(connection);
    return true;
  }

  #destinationOf(connection: number): Destination {
    return this.#destinations[connection % this.#destinations.length]!;
  }

  /** Takes what has happened to a connection. */
  #take(index: number, nowMs: number): void {
    const connection = this.#epoll.token(index);
    const socket = this.#sockets[connection];
    // What it is told of may have been closed since.
    if (!socket) return;
    const kind = this.#epoll.hasError(index) ? socket.takeError() : null;
    if (!this.ledger.isConnected(connection)) this.#establish(connection, socket, kind);
    else if (this.#epoll.isReadable(index)) this.#receive(connection, socket, nowMs, kind);
  }

  #establish(connection: number, socket: RawSocket, kind: FailureName | null): void {
    if (kind !== null) this.#fail(connection, "connect", kind);
    else if (this.#send(connection, socket)) this.#epoll.change(socket, connection, { readable: true });
    else this.#fail(connection, "send", socket.takeError() ?? "reset");
  }

  #receive(connection: number, socket: RawSocket, nowMs: number, kind: FailureName | null): void {
    // What came before a reset is still there.
    let count = socket.receive(this.#received);
    for (; count > 0; count = socket.receive(this.#received)) {
      this.#feed(connection, count, nowMs);
      if (this.#sockets[connection] === null) return;
      if (count < RECEIVE_BYTES && kind === null) return;
    }
    if (count === 0 || kind !== null) this.#ended(connection, nowMs, kind);
  }

  #feed(connection: number, count: number, nowMs: number): void {
    const isFirst = !this.#parsers.has(connection);
    if (isFirst && this.#known.matches(count)) {
      return this.#takeResponse(connection, "done", this.#knownStatus, nowMs);
    }
    const parser = this.#parsers.of(connection);
    const used = parser.feed(this.#received, count);
    const { state, status } = parser;
    if (state !== "reading") this.#parsers.putBack(connection);
    if (state === "done" && isFirst && used === count && this.#known.keep(count)) this.#knownStatus = status;
    this.#takeResponse(connection, state, status, nowMs);
  }

  #takeResponse(connection: number, state: ResponseState, status: number | null, nowMs: number): void {
    if (status !== null) this.ledger.answered(connection, status);
    if (state === "reading" || this.ledger.stateOf(connection) !== STATE.opening) return;
    if (state === "bad") this.#fail(connection, status === null ? "wait" : "receive", "bad-response");
    else this.#opened(connection, nowMs);
  }

  #opened(connection: number, nowMs: number): void {
    this.#unacknowledged.delete(connection);
    this.ledger.opened(connection, nowMs);
    this.#drips?.add(connection, nowMs);
  }

  /** The server has ended a connection: in order, or by a failure of a kind. */
  #ended(connection: number, nowMs: number, kind: FailureName | null): void {
    if (this.ledger.stateOf(connection) === STATE.open) {
      this.ledger.closed(connection, nowMs, kind);
      return this.#drop(connection);
    }
    const parser = this.#parsers.of(connection);
    parser.end();
    if (kind === null && parser.state === "done") {
      this.#opened(connection, nowMs);
      this.#ended(connection, nowMs, null);
    } else {
      this.#fail(connection, parser.status === null ? "wait" : "receive", kind ?? "closed-early");
    }
  }

  #fail(connection: number, phase: Phase, kind: FailureName): void {
    this.ledger.failed(connection, phase, kind);
    this.#drop(connection);
  }

  #drop(connection: number): void {
    this.#unacknowledged.delete(connection);
    this.#parsers.putBack(connection);
    // A socket that is closed is watched no more.
    this.#sockets[connection]?.close();
    this.#sockets[connection] = null;
  }

  #lookForAcknowledged(): void {
    for (const connection of this.#unacknowledged) {
      const { state, unackedSegments } = this.#sockets[connection]!.tcpInfo();
      // Of one that is broken an event tells.
      if (state === "ESTABLISHED" && unackedSegments === 0) this.#opened(connection, this.#job.now());
    }
  }

  #drip(nowMs: number): void {
    for (let connection; (connection = this.#drips?.take(nowMs) ?? null) !== null;) {
      const socket = this.#sockets[connection];
      if (!socket) continue;
      // One that was ended takes none, and its end is told of.
      if (socket.send(DRIP) === DRIP.length) this.ledger.sent(connection, DRIP.length);
      this.#drips!.add(connection, nowMs);
    }
  }

  /** Gives up those that have been opening for too long. */
  #expire(nowMs: number): void {
    const { ledger } = this;
    const { timeoutMs } = this.#job.plan;
    for (; this.#oldest < ledger.begun; this.#oldest++) {
      if (ledger.stateOf(this.#oldest) !== STATE.opening) continue;
      if (timeoutMs === null || nowMs < ledger.startOf(this.#oldest) + timeoutMs) return;
      this.#fail(this.#oldest, ledger.isConnected(this.#oldest) ? "wait" : "connect", "timed-out");
    }
  }
}

/** Closes a socket by a reset: thousands in TIME_WAIT would be in the way of whoever connects next. */
function reset(socket: RawSocket | null): void {
  socket?.setOption("lingerSeconds", 0);
  socket?.close();
}
