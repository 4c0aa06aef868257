/** The socket types that a Jupyter client has: it asks as a dealer and listens as a subscriber. */
export type ZmtpSocketType = "DEALER" | "SUB";

/** What {@linkcode ZmtpPeer.receive} made of some bytes. */
export interface ZmtpReceived {
  /** The messages that are whole, each in its parts. */
  readonly messages: readonly (readonly Uint8Array[])[];
  /** Bytes to be sent to the other side, in order. */
  readonly toSend: readonly Uint8Array[];
}

const GREETING_BYTES = 64;
const MORE = 1;
const LONG = 2;
const COMMAND = 4;
/** No kernel sends as much at once: a greater length is that of a torn stream. */
const MAX_FRAME_BYTES = 512 * 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * One side of a ZMTP 3.0 connection with the NULL mechanism, apart from any socket: bytes in, messages and
 * bytes out. A subscriber takes everything.
 *
 * Source: ZMTP 3.0, https://rfc.zeromq.org/spec/23/
 */
export class ZmtpPeer {
  readonly #type: ZmtpSocketType;
  readonly #inbox = new ByteQueue();
  #parts: Uint8Array[] = [];
  #state: "greeting" | "handshake" | "ready" = "greeting";

  /**
   * Expects the other side's greeting.
   *
   * @param type what this side is
   */
  constructor(type: ZmtpSocketType) {
    this.#type = type;
  }

  /** Whether the handshake is done, so that messages may be sent. */
  get ready(): boolean {
    return this.#state === "ready";
  }

  /** What this side sends first: the greeting and its part of the handshake. */
  opening(): Uint8Array {
    const greeting = new Uint8Array(GREETING_BYTES);
    greeting[0] = 0xff;
    greeting[9] = 0x7f;
    greeting[10] = 3;
    greeting.set(encoder.encode("NULL"), 12);
    const ready = command("READY", concat([property("Socket-Type", this.#type), property("Identity", "")]));
    return concat([greeting, ready]);
  }

  /**
   * Takes bytes, however the network cut them.
   *
   * @param bytes the bytes
   * @returns the messages that are whole with them, and what the other side waits for
   * @throws {Error} the bytes are not ZMTP 3 with the NULL mechanism, or the stream is torn
   */
  receive(bytes: Uint8Array): ZmtpReceived {
    this.#inbox.push(bytes);
    const messages: Uint8Array[][] = [];
    const toSend: Uint8Array[] = [];
    if (this.#state === "greeting") {
      const greeting = this.#inbox.take(GREETING_BYTES);
      if (!greeting) return { messages, toSend };
      checkGreeting(greeting);
      this.#state = "handshake";
    }
    for (let frame = this.#nextFrame(); frame; frame = this.#nextFrame()) {
      if (frame.flags & COMMAND) {
        const answer = this.#obey(frame.body);
        if (answer) toSend.push(answer);
        continue;
      }
      if (this.#state !== "ready") throw new Error("Cannot read ZMTP stream as a message came before READY");
      this.#parts.push(frame.body);
      if (frame.flags & MORE) continue;
      messages.push(this.#parts);
      this.#parts = [];
    }
    return { messages, toSend };
  }

  /** What a command asks to be sent. */
  #obey(body: Uint8Array): Uint8Array | null {
    const nameBytes = body[0] ?? 0;
    const name = decoder.decode(body.subarray(1, 1 + nameBytes));
    const data = body.subarray(1 + nameBytes);
    if (name === "PING") return command("PONG", data.subarray(2));
    if (this.#state === "ready") return null;
    if (name !== "READY") throw new Error(`Cannot use ZMTP connection as the other side answered ${name}`);
    this.#state = "ready";
    return this.#type === "SUB" ? encodeMessage([new Uint8Array([1])]) : null;
  }

  #nextFrame(): { readonly flags: number; readonly body: Uint8Array } | null {
    const head = this.#inbox.peek(2);
    if (!head) return null;
    const flags = head[0]!;
    if (flags & ~(MORE | LONG | COMMAND)) {
      throw new Error(
        `Cannot read ZMTP stream as it is torn: no frame has the flags 0x${flags.toString(16)}`,
      );
    }
    const headBytes = flags & LONG ? 9 : 2;
    const header = this.#inbox.peek(headBytes);
    if (!header) return null;
    const sizeBytes = flags & LONG ? bigEndian(header.subarray(1)) : header[1]!;
    if (sizeBytes > MAX_FRAME_BYTES) {
      throw new Error(`Cannot read ZMTP stream as it is torn: no frame has ${sizeBytes} bytes`);
    }
    const whole = this.#inbox.take(headBytes + sizeBytes);
    return whole && { flags, body: whole.subarray(headBytes) };
  }
}

/**
 * A message as bytes.
 *
 * @param parts its parts, at least one
 * @returns its frames, one after another
 */
export function encodeMessage(parts: readonly Uint8Array[]): Uint8Array {
  return concat(parts.map((part, index) => frame(index < parts.length - 1 ? MORE : 0, part)));
}

function frame(flags: number, body: Uint8Array): Uint8Array {
  if (body.length <= 255) return concat([new Uint8Array([flags, body.length]), body]);
  const head = new Uint8Array(9);
  head[0] = flags | LONG;
  new DataView(head.buffer).setBigUint64(1, BigInt(body.length));
  return concat([head, body]);
}

function command(name: string, data: Uint8Array): Uint8Array {
  return frame(COMMAND, concat([new Uint8Array([name.length]), encoder.encode(name), data]));
}

function property(name: string, value: string): Uint8Array {
  const sizeBytes = new Uint8Array(4);
  new DataView(sizeBytes.buffer).setUint32(0, value.length);
  return concat([new Uint8Array([name.length]), encoder.encode(name), sizeBytes, encoder.encode(value)]);
}

function checkGreeting(greeting: Uint8Array): void {
  const major = greeting[10]!;
  if (greeting[0] !== 0xff || greeting[9] !== 0x7f || major < 3) {
    throw new Error("Cannot use ZMTP connection as the other side does not speak version 3");
  }
  const mechanism = decoder.decode(greeting.subarray(12, 32)).replace(/\0+$/, "");
  if (mechanism !== "NULL") {
    throw new Error(
      `Cannot use ZMTP connection as its mechanism must be NULL: current value is ${mechanism}`,
    );
  }
}

function bigEndian(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0));
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Bytes that wait to be read. A large frame is put together once, when its last byte is here. */
class ByteQueue {
  #chunks: Uint8Array[] = [];
  #waiting = 0;

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
  }

  /** The first bytes, left in place; `null` when there are not as many. */
  peek(count: number): Uint8Array | null {
    if (this.#waiting < count) return null;
    if (this.#chunks[0]!.length < count) this.#chunks = [concat(this.#chunks)];
    return this.#chunks[0]!.subarray(0, count);
  }

  /** The first bytes, taken out; `null` when there are not as many. */
  take(count: number): Uint8Array | null {
    const bytes = this.peek(count);
    if (!bytes) return null;
    this.#waiting -= count;
    const first = this.#chunks[0]!;
    if (first.length === count) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(count);
    return bytes;
  }
}
