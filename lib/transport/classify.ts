import { constants } from "node:os";
import { type Failure, failure, type FailureName, type Phase } from "../record/mod.ts";
import { TlsHandshakeError } from "./tls.ts";

/** What each error number of a socket call means here. errno(3), connect(2), send(2), recv(2). */
const BY_CODE: Readonly<Record<string, FailureName>> = {
  EADDRNOTAVAIL: "local-ports-exhausted",
  EADDRINUSE: "address-in-use",
  EMFILE: "descriptors-exhausted",
  ENFILE: "descriptors-exhausted",
  ECONNREFUSED: "refused",
  ETIMEDOUT: "timed-out",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  // What the runtime asks of a new socket that has been reset in between: its address.
  ENOTCONN: "reset",
  EPIPE: "reset",
  ENETDOWN: "unreachable",
  ENETUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  EHOSTUNREACH: "unreachable",
};

/** The same by the names of Deno's error classes, for errors that carry no number. */
const BY_NAME: Readonly<Record<string, FailureName>> = {
  AddrNotAvailable: "local-ports-exhausted",
  AddrInUse: "address-in-use",
  ConnectionRefused: "refused",
  TimedOut: "timed-out",
  TimeoutError: "timed-out",
  ConnectionReset: "reset",
  ConnectionAborted: "reset",
  NotConnected: "reset",
  BrokenPipe: "reset",
  NetworkUnreachable: "unreachable",
  UnexpectedEof: "closed-early",
  // What a TLS record holds. A certificate that is refused has this name too, and is known by its words.
  InvalidData: "tls-failed",
};

/** What Deno, hyper and rustls say in words alone. */
const BY_WORDS: readonly (readonly [string, FailureName])[] = [
  ["failed to lookup address information", "name-not-found"],
  ["connection closed before message completed", "closed-early"],
  ["error reading a body from connection", "closed-early"],
  ["client error (SendRequest): invalid", "bad-response"],
  ["message head is too large", "bad-response"],
  ["invalid peer certificate", "certificate-refused"],
  ["tls handshake eof", "closed-early"],
  ["received corrupt message", "tls-failed"],
  ["received fatal alert", "tls-failed"],
  ["received unexpected", "tls-failed"],
  ["peer is incompatible", "tls-failed"],
  ["peer misbehaved", "tls-failed"],
  ["peer doesn't support any known protocol", "tls-failed"],
];

/** The names of this system's error numbers, which differ from one system to another. */
const CODE_NAMES = new Map(Object.entries(constants.errno).map(([name, number]) => [number as number, name]));

/** An error and its causes, the outermost first. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}

function kindOf(error: Error & { readonly code?: unknown }): FailureName | undefined {
  const { code, name, message } = error;
  const number = /\(os error (\d+)\)/.exec(message)?.[1];
  return BY_WORDS.find(([words]) => message.includes(words))?.[1] ?? BY_CODE[String(code)] ?? BY_NAME[name] ??
    BY_CODE[CODE_NAMES.get(Number(number)) ?? ""];
}

/**
 * Gives an error of a connection its place in the list of failures.
 *
 * @param error what was thrown; where it has causes, the outermost that is known decides
 * @param phase the part of the exchange in which it came; a {@linkcode TlsHandshakeError} came in `tls`
 * @returns the failure; of kind `other` when the error is not known
 *
 * @example
 * ```ts
 * import { classify } from "./classify.ts";
 * import { assertEquals } from "@std/assert";
 * const error = new Deno.errors.ConnectionRefused("Connection refused (os error 111)");
 * assertEquals(classify(error, "connect"), { phase: "connect", kind: "refused", side: "server" });
 * ```
 */
export function classify(error: unknown, phase: Phase): Failure {
  const chain = causes(error);
  const actual = chain.some((cause) => cause instanceof TlsHandshakeError) ? "tls" : phase;
  for (const cause of chain) {
    const kind = kindOf(cause);
    if (kind !== undefined) return failure(actual, kind);
  }
  return failure(actual, "other");
}

/**
 * What an error says, with its causes.
 *
 * @param error what was thrown
 * @returns the messages, the outermost first
 */
export function describe(error: unknown): string {
  const chain = causes(error);
  return chain.length > 0 ? chain.map(({ message }) => message).join(": ") : String(error);
}
