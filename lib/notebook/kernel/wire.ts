import { createHmac, timingSafeEqual } from "node:crypto";

/** What a message carries: an object of JSON. */
export type Content = Readonly<Record<string, unknown>>;

/** A message of the Jupyter protocol, as far as a client looks at it. */
export interface KernelMessage {
  /** Its id. */
  readonly id: string;
  /** Its type, such as `stream` or `execute_reply`. */
  readonly type: string;
  /** The id of the request that it belongs to; `null` when it belongs to none. */
  readonly parentId: string | null;
  /** What it carries. */
  readonly content: Content;
}

/** A request as {@linkcode encodeRequest} takes it. */
export interface KernelRequest {
  /** Its id. */
  readonly id: string;
  /** Its type, such as `execute_request`. */
  readonly type: string;
  /** The client's session. */
  readonly session: string;
  /** When it is sent, in ISO 8601. */
  readonly date: string;
  /** What it carries. */
  readonly content: Content;
}

const PROTOCOL_VERSION = "5.3";
const DELIMITER = "<IDS|MSG>";
/** Header, parent's header, metadata, content. */
const SIGNED_PARTS = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A request as the parts of a ZMTP message, signed with HMAC-SHA256.
 *
 * Source: https://jupyter-client.readthedocs.io/en/stable/messaging.html#the-wire-protocol
 *
 * @param request the request
 * @param key the key of the connection
 * @returns the parts
 */
export function encodeRequest(request: KernelRequest, key: string): Uint8Array[] {
  const header = {
    msg_id: request.id,
    session: request.session,
    username: "connlab",
    date: request.date,
    msg_type: request.type,
    version: PROTOCOL_VERSION,
  };
  const body = [header, {}, {}, request.content].map((part) => encoder.encode(JSON.stringify(part)));
  return [encoder.encode(DELIMITER), encoder.encode(sign(body, key)), ...body];
}

/**
 * Reads a message of the kernel.
 *
 * @param parts the parts of the ZMTP message; what stands before the delimiter is routing
 * @param key the key of the connection
 * @returns the message
 * @throws {Error} it is not a message of the protocol, or its signature does not match what it carries
 */
export function decodeMessage(parts: readonly Uint8Array[], key: string): KernelMessage {
  const at = parts.findIndex((part) => decoder.decode(part.subarray(0, 16)) === DELIMITER);
  const signature = parts[at + 1];
  const body = parts.slice(at + 2, at + 2 + SIGNED_PARTS);
  if (at < 0 || !signature || body.length < SIGNED_PARTS) {
    throw new Error("Cannot read message of the kernel as it is not one of the Jupyter protocol");
  }
  const expected = encoder.encode(sign(body, key));
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
    throw new Error("Cannot trust message of the kernel as its signature does not match what it carries");
  }
  const [header, parent, , content] = body.map((part) => JSON.parse(decoder.decode(part)));
  return { id: header.msg_id, type: header.msg_type, parentId: parent?.msg_id ?? null, content };
}

function sign(body: readonly Uint8Array[], key: string): string {
  const hmac = createHmac("sha256", key);
  for (const part of body) hmac.update(part);
  return hmac.digest("hex");
}
