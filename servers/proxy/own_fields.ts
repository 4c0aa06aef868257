import type { BodyFraming } from "./framing.ts";
import type { RequestHead, ResponseHead } from "./head.ts";

/** That a request came through here: RFC 9110 §7.6.3. */
export const VIA = "via: 1.1 connlab\r\n";

const CHUNKED = "transfer-encoding: chunked\r\n";

/**
 * How the body of a request is framed.
 *
 * @param framing how its client framed it
 * @returns the line of a field; nothing without a body
 */
export function framingField(framing: BodyFraming): string {
  if (framing.kind === "chunked") return CHUNKED;
  return framing.kind === "length" ? lengthField(framing.bytes) : "";
}

/**
 * How the length of an answer is told. One to `HEAD` tells that of a body that does not follow.
 *
 * @param head the answer
 * @param chunked whether its body goes on in chunks
 * @returns the line of a field, or nothing
 */
export function lengthFields({ status, length }: ResponseHead, chunked: boolean): string {
  if (chunked) return CHUNKED;
  return length === null || status === 204 ? "" : lengthField(length);
}

function lengthField(bytes: number): string {
  return `content-length: ${bytes}\r\n`;
}

/**
 * How it is told whether the client's connection goes on: an HTTP/1.0 client expects that it does not.
 *
 * @param client what its request said
 * @param persistent whether it does
 * @returns the line of a field, or nothing
 */
export function persistenceField({ chunks }: Pick<RequestHead, "chunks">, persistent: boolean): string {
  if (!persistent) return "connection: close\r\n";
  return chunks ? "" : "connection: keep-alive\r\n";
}
