import { failure, type Phase } from "../record/mod.ts";
import {
  classify,
  type Connection,
  connectTcp,
  encodeRequest,
  RepeatedResponse,
  ResponseParser,
} from "../transport/mod.ts";
import { type Lane, type LaneEnd, SlotDriver } from "./_slot_driver.ts";
import type { EngineJob } from "./engine.ts";
import type { LoadTarget } from "./plan.ts";

/** Where the bytes of a connection arrive: each has a buffer of its own, as all may be read at once. */
const BUFFER_BYTES = 16_384;

/**
 * Makes load over the runtime's own connections (`Deno.connect`), with HTTP/1.1 framed by the lab: the engine for
 * systems whose C library the lab does not know. Needs `--allow-net` of the targets, and nothing else.
 *
 * @param job what there is to do
 */
export async function rawEngine(job: EngineJob): Promise<void> {
  const { connections, targets } = job;
  const lanes = Array.from(
    { length: connections },
    (_, slot) => new RawLane(job, targets[slot % targets.length]!),
  );
  await new SlotDriver(job, lanes).run();
}

/** One connection, which is opened anew when it has ended. */
class RawLane implements Lane {
  readonly #job: EngineJob;
  readonly #target: LoadTarget;
  readonly #request: Uint8Array;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #parser = new ResponseParser();
  /** A response that came whole with one read, and what it is. */
  readonly #known = new RepeatedResponse(this.#buffer);
  #knownEnd: LaneEnd | null = null;
  #connection: Connection | null = null;
  /** A read that began before there was a request. */
  #early: Promise<number | null> | null = null;
  /** Gives up a connect that is under way. */
  #connecting: AbortController | null = null;

  constructor(job: EngineJob, target: LoadTarget) {
    this.#job = job;
    this.#target = target;
    this.#request = encodeRequest({ method: job.plan.method, ...target });
  }

  get fresh(): boolean {
    return this.#connection === null;
  }

  async request(opened: () => void): Promise<LaneEnd> {
    let phase: Phase = "connect";
    try {
      const connection = this.#connection ?? await this.#open();
      opened();
      const early = this.#early;
      this.#early = null;
      phase = "send";
      await connection.writeAll(this.#request);
      phase = "wait";
      let size = await (early ?? connection.read(this.#buffer));
      if (size !== null && this.#known.matches(size)) return this.#knownEnd!;
      this.#parser.begin(this.#job.plan.method);
      for (; size !== null; size = await connection.read(this.#buffer)) {
        const end = this.#take(size, phase === "wait");
        if (end !== null) return end;
        phase = "receive";
      }
      return this.#ended(phase);
    } catch (thrown) {
      opened();
      this.#close();
      return { status: null, bodyBytes: 0, failure: classify(thrown, phase) };
    }
  }

  /** Watches the connection: only a read tells that the server has ended it. The next request takes that read over. */
  rest(): void {
    if (this.#connection === null) return;
    const early = this.#early = this.#connection.read(this.#buffer);
    const stir = () => {
      if (this.#early === early) this.#close();
    };
    early.then(stir, stir);
  }

  cancel(): void {
    this.#connecting?.abort();
    this.#close();
  }

  /** Closes the connection; a read or write that is pending rejects. */
  #close(): void {
    if (this.#connection === null) return;
    this.#connection.close();
    this.#connection = this.#early = null;
    this.#job.tally.closed();
  }

  async #open(): Promise<Connection> {
    const { address: hostname, port } = this.#target;
    this.#connecting = new AbortController();
    const { signal } = this.#connecting;
    try {
      const connection = await connectTcp({ hostname, port, signal });
      if (signal.aborted) {
        connection.close();
        throw signal.reason;
      }
      this.#connection = connection;
      this.#job.tally.opened();
      return connection;
    } finally {
      this.#connecting = null;
    }
  }

  /** Frames what has been read; `null` when more must come. */
  #take(size: number, isFirst: boolean): LaneEnd | null {
    const parser = this.#parser;
    const used = parser.feed(this.#buffer, size);
    const { state, status, bodyBytes, persistent } = parser;
    if (state === "reading") return null;
    if (state === "bad") {
      this.#close();
      return { status, bodyBytes, failure: failure("receive", "bad-response") };
    }
    const end = { status, bodyBytes, failure: null };
    // Bytes that nobody asked for leave open where the next response begins: RFC 9112 §9.2.
    if (!persistent || used < size) {
      this.#close();
    } else if (isFirst && this.#known.keep(size)) {
      this.#knownEnd = end;
    }
    return end;
  }

  /** The connection has ended, and with it the response, or in the middle of it. */
  #ended(phase: Phase): LaneEnd {
    const parser = this.#parser;
    parser.end();
    this.#close();
    const { state, status, bodyBytes } = parser;
    return { status, bodyBytes, failure: state === "done" ? null : failure(phase, "closed-early") };
  }
}
