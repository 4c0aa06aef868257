import { type BodyFraming, CHUNKED, NO_BODY } from "./framing.ts";

/** Something that is no head of a message, or one that a proxy must not pass on. */
export class MalformedHead extends Error {
  override readonly name = "MalformedHead";
  /** The status that answers it, where it came from a client. */
  readonly status: number;

  /**
   * @param message what is wrong with it, for people
   * @param status what a client is answered. @default {400}
   */
  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** The head of a request, without what belongs to the connection that it came over. */
export interface RequestHead {
  /** The method. */
  readonly method: string;
  /** The target in origin form. */
  readonly target: string;
  /** The lines of the fields that are passed on, in order and as they came, each with its end. */
  readonly fields: string;
  /** How its body ends. */
  readonly framing: BodyFraming;
  /** Whether the client understands chunks: HTTP/1.1. */
  readonly chunks: boolean;
  /** Whether the client's connection may carry another request. */
  readonly persistent: boolean;
}

/** The head of a response, without what belongs to the connection that it came over. */
export interface ResponseHead {
  /** The status code. */
  readonly status: number;
  /** The reason phrase, which may be empty. */
  readonly reason: string;
  /** The lines of the fields that are passed on, in order and as they came, each with its end. */
  readonly fields: string;
  /** How its body ends. */
  readonly framing: BodyFraming;
  /** The length that it announces, of a body that may be missing (`HEAD`, 304); `null` without one. */
  readonly length: number | null;
  /** Whether the backend's connection may carry another request. */
  readonly persistent: boolean;
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP\/(\d)\.(\d)$/;
const STATUS_LINE = /^HTTP\/1\.(\d) ([1-5]\d\d)(?: ([\t -~\x80-\xff]*))?$/;
/**
 * Lines of a name, a colon and a value of tab, visible ASCII, space and obs-text: RFC 9110 §5.1, §5.5. Every CR that it
 * lets pass ends a line.
 */
const FIELDS = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)*$/;
/**
 * A field that belongs to one connection, RFC 9110 §7.6.1, or `Host`, which alone of them is passed on. Length and coding
 * are said anew.
 */
const OWN_FIELD = new RegExp(
  `^(${
    [
      ...["connection", "proxy-connection", "keep-alive", "te", "trailer", "upgrade"],
      ...["transfer-encoding", "content-length", "host"],
    ].join("|")
  }):(.*)\\r\\n`,
  "gim",
);
const HOST_FIELD = /^host:.*\r\n/gim;
const HOST = /^(?:[0-9A-Za-z._~%!$&'()*+,;=-]+|\[[\da-fA-F:.]+\])(?::\d{0,5})?$/;
/** No length of which a sum could lose precision. */
const LENGTH = /^\d{1,15}$/;

const SPACE = 32;
const TAB = 9;

/** A head by what a proxy does with it. */
interface ReadHead {
  /** The request line or the status line. */
  readonly start: string;
  readonly fields: string;
  readonly lengths: readonly string[];
  readonly codings: readonly string[];
  readonly hosts: readonly string[];
  readonly close: boolean;
  readonly keepAlive: boolean;
}

/** Reads a head without its empty line. */
function readHead(text: string): ReadHead {
  const end = text.indexOf("\r\n");
  if (end < 0) {
    return { start: text, fields: "", lengths: [], codings: [], hosts: [], close: false, keepAlive: false };
  }
  const lines = `${text.slice(end + 2)}\r\n`;
  if (!FIELDS.test(lines)) {
    throw new MalformedHead(
      /^[\t ]/m.test(lines)
        ? "A field is folded over several lines"
        : "A field is not a token, a colon and a value without control characters",
    );
  }
  const lengths: string[] = [];
  const codings: string[] = [];
  const hosts: string[] = [];
  const options: string[] = [];
  let passed = "";
  let from = 0;
  for (let found = OWN_FIELD.exec(lines); found !== null; found = OWN_FIELD.exec(lines)) {
    const name = found[1]!.toLowerCase();
    const value = trimmed(found[2]!);
    if (name === "host") {
      hosts.push(value);
      continue;
    }
    if (name === "content-length") lengths.push(value);
    else if (name === "transfer-encoding") codings.push(value.toLowerCase());
    else if (name === "connection") options.push(...value.toLowerCase().split(",").map(trimmed));
    passed += lines.slice(from, found.index);
    from = found.index + found[0].length;
  }
  return {
    start: text.slice(0, end),
    fields: without(options, passed + lines.slice(from)),
    lengths,
    codings,
    hosts,
    close: options.includes("close"),
    keepAlive: options.includes("keep-alive"),
  };
}

/** Without the blanks around it: `trim` would take obs-text too, and make `chunked` of what is not. */
function trimmed(value: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && isBlank(value.charCodeAt(from))) from++;
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--;
  return value.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** Takes away what `Connection` names. What addresses a message it may not take. */
function without(options: readonly string[], lines: string): string {
  const named = options.filter((option) => !["close", "keep-alive", "host", ""].includes(option));
  if (named.length === 0) return lines;
  return lines.replace(/^(.+?):.*\r\n/gm, (line, name) => named.includes(name.toLowerCase()) ? "" : line);
}

/**
 * How a body is framed that fields announce. A length and a coding at once, and two lengths, may be read in two ways,
 * by a proxy and by the server behind it: they are refused. Source: RFC 9112 §6.1, §6.3, §11.2.
 *
 * @returns `null` where the fields announce none
 */
function announced({ lengths, codings }: ReadHead, minor: number): BodyFraming | null {
  if (codings.length > 0) {
    if (lengths.length > 0) throw new MalformedHead("A content length stands beside a transfer coding");
    if (minor === 0) throw new MalformedHead("HTTP/1.0 has no transfer coding");
    if (codings.length > 1 || codings[0] !== "chunked") {
      throw new MalformedHead("The transfer coding is not chunked alone", 501);
    }
    return CHUNKED;
  }
  if (lengths.length === 0) return null;
  if (lengths.length > 1 || !LENGTH.test(lengths[0]!)) {
    throw new MalformedHead("The content length is not one whole number");
  }
  return { kind: "length", bytes: Number(lengths[0]) };
}

/**
 * Reads the head of a request.
 *
 * Source: RFC 9112 §2.2, §3 and §5 (syntax), §3.2 (target and `Host`), §9.3 (persistence).
 *
 * @param text the head without its empty line, one character a byte
 * @returns the head
 * @throws {MalformedHead} it is none, or must not be passed on
 */
export function parseRequestHead(text: string): RequestHead {
  const read = readHead(text);
  const parts = REQUEST_LINE.exec(read.start);
  if (parts === null) throw new MalformedHead("The request line is not a method, a target and HTTP/1.x");
  const [, method = "", written = "", major, digit] = parts;
  if (major !== "1") throw new MalformedHead("The version is not HTTP/1.x", 505);
  const minor = Number(digit);
  const { hosts, close, keepAlive } = read;
  if (hosts.length > 1 || (minor > 0 && hosts.length === 0)) {
    throw new MalformedHead("There is not exactly one Host");
  }
  if (hosts[0] !== undefined && hosts[0] !== "" && !HOST.test(hosts[0])) {
    throw new MalformedHead("Host is not a host and a port");
  }
  if (method === "CONNECT") throw new MalformedHead("This proxy opens no tunnels", 501);
  const { target, host } = originForm(written, method);
  return {
    method,
    target,
    fields: host === null ? read.fields : `host: ${host}\r\n${read.fields.replace(HOST_FIELD, "")}`,
    framing: announced(read, minor) ?? NO_BODY,
    chunks: minor > 0,
    persistent: !close && (minor > 0 || keepAlive),
  };
}

/** A target as a backend takes it. One in absolute form names the host itself: RFC 9112 §3.2.2. */
function originForm(target: string, method: string): { target: string; host: string | null } {
  if (target.startsWith("/") || (target === "*" && method === "OPTIONS")) return { target, host: null };
  const absolute = /^http:\/\/([^/?#@]+)([/?].*)?$/i.exec(target);
  if (absolute === null || !HOST.test(absolute[1]!)) {
    throw new MalformedHead("The target is no path and no URL of http");
  }
  // The whole server is meant where no path is given: RFC 9112 §3.2.4.
  const path = absolute[2] ?? (method === "OPTIONS" ? "*" : "/");
  return { target: path.startsWith("?") ? `/${path}` : path, host: absolute[1]! };
}

/**
 * Reads the head of a response.
 *
 * Source: RFC 9112 §4 (syntax), §6.3 (how the body ends), §9.3 (persistence).
 *
 * @param text the head without its empty line, one character a byte
 * @param method the method of the request that it answers
 * @returns the head
 * @throws {MalformedHead} it is none
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const read = readHead(text);
  const parts = STATUS_LINE.exec(read.start);
  if (parts === null) throw new MalformedHead("The status line is not HTTP/1.x and a status code");
  const [, digit, code, reason = ""] = parts;
  const [minor, status] = [Number(digit), Number(code)];
  const framing = announced(read, minor);
  const isBodyless = method === "HEAD" || status < 200 || status === 204 || status === 304;
  return {
    status,
    reason,
    fields: read.fields,
    framing: isBodyless ? NO_BODY : framing ?? { kind: "close" },
    length: framing?.kind === "length" ? framing.bytes : null,
    persistent: !read.close && (minor > 0 || read.keepAlive) && (isBodyless || framing !== null),
  };
}
