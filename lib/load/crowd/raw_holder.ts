import { classify, type Connection, connectTcp } from "../../transport/mod.ts";
import type { Phase } from "../../record/mod.ts";
import type { LoadTarget } from "../plan.ts";
import { DripClock } from "./drip_clock.ts";
import { type CrowdHolder, DRIP, type HolderJob, openingOf } from "./holder.ts";
import { type Ledger, STATE } from "./ledger.ts";
import { openInBursts } from "./open_in_bursts.ts";
import { ParserShelf } from "./parser_shelf.ts";

/** As each connection waits for bytes with a buffer of its own, that is small. */
const RECEIVE_BYTES = 256;

/** Holds connections of `Deno.connect`, each of which is read from all the time, so that its end is seen. */
export class RawHolder implements CrowdHolder {
  readonly ledger: Ledger;
  readonly #job: HolderJob;
  readonly #openings: readonly Uint8Array<ArrayBuffer>[];
  readonly #connections = new Map<number, Connection>();
  readonly #parsers = new ParserShelf();
  readonly #abort = new AbortController();
  readonly #drips: DripClock | null;
  readonly #reading = new Set<Promise<void>>();
  #dripping: ReturnType<typeof setTimeout> | undefined;

  /** @param job what it holds */
  constructor(job: HolderJob) {
    const { plan: { behaviour }, targets, ledger } = job;
    this.ledger = ledger;
    this.#job = job;
    this.#openings = targets.map((target) => openingOf(behaviour, target));
    const dripMs = behaviour.kind === "half-header" ? behaviour.dripMs : null;
    this.#drips = dripMs === null ? null : new DripClock(dripMs, Math.max(1, ledger.size));
  }

  /** Opens the connections. */
  async open(): Promise<void> {
    await openInBursts(this.#job, this.#abort.signal, (connection) => this.#open(connection));
  }

  /** Closes them. */
  async close(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#dripping);
    for (const connection of this.#connections.values()) connection.close();
    await Promise.all(this.#reading);
  }

  async #open(connection: number): Promise<void> {
    const isOpen = Promise.withResolvers<void>();
    const life = this.#live(connection, isOpen.resolve).finally(isOpen.resolve);
    this.#reading.add(life);
    life.finally(() => this.#reading.delete(life));
    await isOpen.promise;
  }

  /** The life of one connection: it is connected, speaks, is heard until it ends. */
  async #live(connection: number, isOpen: () => void): Promise<void> {
    const { plan: { timeoutMs, behaviour }, now, targets } = this.#job;
    const { ledger } = this;
    const target: LoadTarget = targets[connection % targets.length]!;
    const opening = this.#openings[connection % targets.length]!;
    const deadline = new AbortController();
    const timer = timeoutMs === null ? undefined : setTimeout(() => {
      deadline.abort(new DOMException("It was not open in time", "TimeoutError"));
      this.#connections.get(connection)?.close();
    }, timeoutMs);
    const opened = () => {
      clearTimeout(timer);
      ledger.opened(connection, now());
      this.#drips?.add(connection, now());
      this.#scheduleDrip();
      isOpen();
    };
    let phase: Phase = "connect";
    try {
      const signal = AbortSignal.any([deadline.signal, this.#abort.signal]);
      using socket = await connectTcp({ hostname: target.address, port: target.port, signal });
      ledger.connected(connection, now());
      this.#connections.set(connection, socket);
      phase = "send";
      await socket.writeAll(opening);
      ledger.sent(connection, opening.length);
      phase = "wait";
      if (behaviour.kind !== "idle") opened();
      const received = new Uint8Array(RECEIVE_BYTES);
      for (let count; (count = await socket.read(received)) !== null;) {
        const state = this.#feed(connection, received.subarray(0, count));
        if (ledger.stateOf(connection) !== STATE.opening) continue;
        if (state === "bad") return ledger.failed(connection, phase, "bad-response");
        if (state === "done") opened();
      }
      this.#ended(connection, opened);
    } catch (error) {
      this.#broke(connection, phase, deadline.signal.reason ?? error);
    } finally {
      clearTimeout(timer);
      this.#connections.delete(connection);
      this.#parsers.putBack(connection);
    }
  }

  #feed(connection: number, bytes: Uint8Array): string {
    const parser = this.#parsers.of(connection);
    parser.feed(bytes);
    const { state, status } = parser;
    if (status !== null) this.ledger.answered(connection, status);
    if (state !== "reading") this.#parsers.putBack(connection);
    return state;
  }

  #ended(connection: number, opened: () => void): void {
    const { ledger } = this;
    if (ledger.stateOf(connection) === STATE.opening) {
      const parser = this.#parsers.of(connection);
      parser.end();
      if (parser.state !== "done") {
        return ledger.failed(connection, parser.status === null ? "wait" : "receive", "closed-early");
      }
      opened();
    }
    ledger.closed(connection, this.#job.now(), null);
  }

  #broke(connection: number, phase: Phase, error: unknown): void {
    // What this side closes itself is no failure of the connection.
    if (this.#abort.signal.aborted) return;
    const { kind } = classify(error, phase);
    const { ledger } = this;
    if (ledger.stateOf(connection) === STATE.opening) ledger.failed(connection, phase, kind);
    else ledger.closed(connection, this.#job.now(), kind);
  }

  #scheduleDrip(): void {
    if (this.#drips === null || this.#dripping !== undefined || this.#drips.dueMs === Infinity) return;
    const delayMs = Math.max(0, this.#drips.dueMs - this.#job.now());
    this.#dripping = setTimeout(() => {
      this.#dripping = undefined;
      this.#drip(this.#drips!);
      this.#scheduleDrip();
    }, delayMs);
  }

  #drip(drips: DripClock): void {
    const nowMs = this.#job.now();
    for (let connection; (connection = drips.take(nowMs)) !== null;) {
      const at = connection;
      const socket = this.#connections.get(at);
      if (!socket) continue;
      // That it ended is seen by whoever reads from it.
      socket.writeAll(DRIP).then(() => this.ledger.sent(at, DRIP.length), () => {});
      drips.add(at, nowMs);
    }
  }
}
