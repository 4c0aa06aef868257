import { type Failure, failure, type Phase } from "../record/mod.ts";
import { classify, describe } from "./classify.ts";
import type { Connection } from "./connection.ts";
import type { Method } from "./http1_request.ts";
import type { ResponseParser } from "./http1_response.ts";

/** A request as {@linkcode exchange} sends it. */
export interface EncodedRequest {
  /** Its method, which tells how its answer is framed. */
  readonly method: Method;
  /** Its bytes: {@linkcode encodeRequest}. */
  readonly bytes: Uint8Array;
}

/** What one exchange after another works with, so that it allocates little. */
export interface ExchangeTools {
  /** Where the bytes of a connection arrive. */
  readonly buffer: Uint8Array;
  /** Reads the responses. */
  readonly parser: ResponseParser;
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** How one request over a connection that stands went. The last phase that has a time is where it ended. */
export interface Answer {
  /** Time to hand the request to the system, in milliseconds. */
  readonly sendMs: number;
  /** Time from there to the first byte of a response, an interim one too, in milliseconds. */
  readonly waitMs: number | null;
  /** Time from there to the last byte of the response, in milliseconds. */
  readonly receiveMs: number | null;
  /** The status code; `null` when no whole head came. */
  readonly status: number | null;
  /** How many bytes of body came. */
  readonly bodyBytes: number;
  /** Whether the server announced that it ends the connection; `null` when no whole head came. */
  readonly serverCloses: boolean | null;
  /** Whether the connection may carry another request. */
  readonly reusable: boolean;
  /** What went wrong; `null` when nothing did. */
  readonly failure: Failure | null;
  /** What the runtime or the parser said of it; `null` when nothing went wrong. */
  readonly error: string | null;
}

/**
 * Sends one request over a connection and reads its response to the end. What fails on the way is part of
 * the result.
 *
 * @param connection a connection that carries nothing else meanwhile; it is left open
 * @param request the request
 * @param tools what it works with, for one exchange at a time
 * @returns how it went
 *
 * @example
 * ```ts ignore
 * using connection = await connectTcp({ hostname, port });
 * const bytes = encodeRequest({ method: "GET", path: "/", hostname, port });
 * const tools = { buffer: new Uint8Array(65_536), parser: new ResponseParser(), now: () => performance.now() };
 * const { status, waitMs, failure } = await exchange(connection, { method: "GET", bytes }, tools);
 * ```
 */
export async function exchange(
  connection: Pick<Connection, "read" | "writeAll">,
  request: EncodedRequest,
  tools: ExchangeTools,
): Promise<Answer> {
  const { buffer, parser, now } = tools;
  let phase: Phase = "send";
  let sentMs = 0;
  let firstByteMs = 0;
  let failed: Failure | null = null;
  let error: string | null = null;
  let surplus = false;
  parser.begin(request.method);
  const startMs = now();
  try {
    await connection.writeAll(request.bytes);
    sentMs = now();
    phase = "wait";
    let size = await connection.read(buffer);
    if (size !== null) {
      firstByteMs = now();
      phase = "receive";
    }
    while (size !== null) {
      surplus = parser.feed(buffer.subarray(0, size)) < size;
      if (parser.state !== "reading") break;
      size = await connection.read(buffer);
    }
    if (size === null) parser.end();
  } catch (thrown) {
    failed = classify(thrown, phase);
    error = describe(thrown);
  }
  const endMs = now();
  const { state, status } = parser;
  if (state === "bad") {
    failed = failure(phase, "bad-response");
    error = parser.problem;
  } else if (state === "cut") {
    failed = failure(phase, "closed-early");
    error = "The connection ended before the response was complete";
  }
  return {
    sendMs: (phase === "send" ? endMs : sentMs) - startMs,
    waitMs: phase === "send" ? null : (phase === "wait" ? endMs : firstByteMs) - sentMs,
    receiveMs: phase === "receive" ? endMs - firstByteMs : null,
    status,
    bodyBytes: parser.bodyBytes,
    serverCloses: status === null ? null : !parser.persistent,
    // Bytes that nobody asked for leave open where the next response begins: RFC 9112 §9.2.
    reusable: state === "done" && failed === null && parser.persistent && !surplus,
    failure: failed,
    error,
  };
}
