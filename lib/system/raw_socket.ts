import type { FailureName } from "../record/mod.ts";
import { isReady, POLL, socketCalls } from "./_socket_calls.ts";
import { required, socketConstants } from "./_socket_constants.ts";
import { failureOf, whyNoSocket, whyNotBound, whyNotConnected } from "./_socket_failures.ts";
import { hasDescriptors, TYPES } from "./_socket_probes.ts";
import type { AddressFamily, SocketEnd } from "./proc_tcp.ts";
import { bytesOf, named, namedEnd, namedLength, namedPort, type SocketAddress } from "./socket_address.ts";
import {
  setSocketOption,
  type SocketOptionName,
  type SocketOptions,
  takeSocketError,
} from "./socket_options.ts";
import { parseTcpInfo, TCP_INFO_BYTES, type TcpInfo } from "./tcp_info.ts";

/** Options of {@linkcode RawSocket.open}. */
export interface RawSocketOptions {
  /** What is spoken over it. @default {"tcp"} */
  readonly protocol?: "tcp" | "udp";
  /** The family of its addresses. @default {"ipv4"} */
  readonly family?: AddressFamily;
  /** Whether a call waits, with the whole thread, until it can be carried out. @default {true} */
  readonly blocking?: boolean;
}

/** What did not work, as the list of failures has it. */
export interface SocketFailure {
  /** It did not work. */
  readonly ok: false;
  /** Why. */
  readonly kind: FailureName;
}

/** What {@linkcode RawSocket.open} gives. */
export type OpenOutcome = { readonly ok: true; readonly socket: RawSocket } | SocketFailure;

/** What {@linkcode RawSocket.bind} and {@linkcode RawSocket.connect} give. */
export type PortOutcome = { readonly ok: true; readonly localPort: number } | SocketFailure;

/** What {@linkcode RawSocket.accept} gives; `kind` is `null` when no connection is waiting. */
export type AcceptOutcome =
  | { readonly ok: true; readonly socket: RawSocket }
  | { readonly ok: false; readonly kind: FailureName | null };

/** SHUT_RD, SHUT_WR and SHUT_RDWR. Source: shutdown(2). */
const DIRECTIONS = { receive: 0, send: 1, both: 2 } as const;
const IPPROTO_TCP = 6;

const tcpInfoBytes = new Uint8Array(new ArrayBuffer(TCP_INFO_BYTES));
const tcpInfoView = new DataView(tcpInfoBytes.buffer);
const tcpInfoLength = new Uint32Array(new ArrayBuffer(4));

/** A length as C takes it. Making one allocates, and a loop mostly has the one that it had before. */
class Size {
  #length = 0;
  #size = 0n;

  of(length: number): bigint {
    if (length !== this.#length) {
      this.#length = length;
      this.#size = BigInt(length);
    }
    return this.#size;
  }
}

let noSignal: number | null = null;
const sendSize = new Size();
const receiveSize = new Size();

/** The descriptor of a socket, for the files beside this one. */
export let descriptorOf: (socket: RawSocket) => number;

/**
 * A socket of the calling thread's network namespace, through the C library: with the options, the source
 * addresses and the order of calls that `Deno.connect` does not offer. What fails inside a measurement is
 * told by the result; why it failed is learnt from the socket afterwards, outside the time that is measured.
 *
 * `connectTo` and `bindTo` are one system call each. `connect` and `bind` also say which port it is, or why
 * there is none.
 *
 * Needs `--allow-ffi` of the C library. Linux; on macOS blocking sockets.
 *
 * @example
 * ```ts ignore
 * const server = new SocketAddress("127.0.0.1", 8080);
 * const opened = RawSocket.open();
 * if (opened.ok) {
 *   using socket = opened.socket;
 *   const startMs = performance.now();
 *   const connected = socket.connectTo(server);
 *   const connectMs = performance.now() - startMs;
 *   console.log(connectMs, connected ? socket.localPort : socket.whyNotConnected(server));
 * }
 * ```
 */
export class RawSocket implements Disposable {
  #descriptor: number;
  /** What is spoken over it. */
  readonly protocol: "tcp" | "udp";
  /** The family of its addresses. */
  readonly family: AddressFamily;
  /** Whether a call waits until it can be carried out. */
  readonly blocking: boolean;

  static {
    descriptorOf = (socket) => socket.#need("use");
  }

  private constructor(descriptor: number, protocol: "tcp" | "udp", family: AddressFamily, blocking: boolean) {
    this.#descriptor = descriptor;
    this.protocol = protocol;
    this.family = family;
    this.blocking = blocking;
  }

  /**
   * Opens a socket.
   *
   * @param options what kind of socket
   * @returns it, or why there is none: `descriptors-exhausted`; `other` when the system has no such family
   * @throws {UnsupportedError} this system has no such sockets
   * @throws {Deno.errors.NotSupported} the C library cannot be opened
   */
  static open(options: RawSocketOptions = {}): OpenOutcome {
    const { protocol = "tcp", family = "ipv4", blocking = true } = options;
    const { families, nonBlocking, closeOnExec } = socketConstants();
    const waiting = blocking ? 0 : required(nonBlocking, "open socket that does not block", "SOCK_NONBLOCK");
    const type = TYPES[protocol] | waiting | (closeOnExec ?? 0);
    const descriptor = socketCalls().socket(families[family], type, 0);
    if (descriptor < 0) return { ok: false, kind: whyNoSocket() };
    return { ok: true, socket: new RawSocket(descriptor, protocol, family, blocking) };
  }

  /** Whether it is open. */
  get isOpen(): boolean {
    return this.#descriptor >= 0;
  }

  #need(action: string): number {
    if (this.#descriptor < 0) throw new TypeError(`Cannot ${action} socket as it is closed`);
    return this.#descriptor;
  }

  /**
   * Sets an option.
   *
   * @param name the option
   * @param value its value
   * @returns whether the system took it: an older kernel does not know every one
   * @throws {UnsupportedError} this system has no such option
   */
  setOption<N extends SocketOptionName>(name: N, value: SocketOptions[N]): boolean {
    return setSocketOption(this.#need("set option of"), name, value);
  }

  /**
   * Takes a local address: bind(2) and nothing else.
   *
   * @param address the address; its port 0 lets the system choose one
   * @returns whether it is taken; if not, see {@linkcode whyNotBound}
   */
  bindTo(address: SocketAddress): boolean {
    const bytes = bytesOf(address);
    return socketCalls().bind(this.#need("bind"), bytes, bytes.length) === 0;
  }

  /**
   * Takes a local address.
   *
   * @param address the address; its port 0 lets the system choose one
   * @returns the port (0 when it is chosen later), or why there is none: see {@linkcode whyNotBound}
   */
  bind(address: SocketAddress): PortOutcome {
    if (this.bindTo(address)) return { ok: true, localPort: this.localPort };
    return { ok: false, kind: this.whyNotBound(address) };
  }

  /**
   * Why an address could not be taken, by what the system does with it now. `address-in-use` (EADDRINUSE)
   * means that the port is taken or, for port 0, that none is free; `other` that the address is not of this
   * machine, or that the port is below 1,024 and this process may not take such a one.
   *
   * @param address the address that {@linkcode bindTo} was given
   * @returns why
   */
  whyNotBound(address: SocketAddress): FailureName {
    return whyNotBound(address);
  }

  /**
   * Connects: connect(2) and nothing else. A socket that does not block is as a rule not connected yet when
   * this gives `false`: look at {@linkcode whyNotConnected}.
   *
   * @param address the address
   * @returns whether it is connected
   */
  connectTo(address: SocketAddress): boolean {
    const bytes = bytesOf(address);
    return socketCalls().connect(this.#need("connect"), bytes, bytes.length) === 0;
  }

  /**
   * Connects; a socket that does not block is given a second.
   *
   * @param address the address
   * @returns the local port, or why there is no connection
   */
  connect(address: SocketAddress): PortOutcome {
    if (this.connectTo(address)) return { ok: true, localPort: this.localPort };
    const kind = this.whyNotConnected(address);
    return kind === null ? { ok: true, localPort: this.localPort } : { ok: false, kind };
  }

  /**
   * Why there is no connection, by the error that waits at the socket, its port, and, when these do not tell, a
   * second attempt: close the socket afterwards. One that does not block is given a second to be connected.
   * `local-ports-exhausted` (EADDRNOTAVAIL) means that no port is
   * free for this peer, or that the port which was bound has a connection to it already.
   *
   * @param address the address that {@linkcode connectTo} was given
   * @returns why; `null` when the connection has come about since
   * @throws {TypeError} the address is of another family
   */
  whyNotConnected(address: SocketAddress): FailureName | null {
    return whyNotConnected(this.#need("look at"), this, address);
  }

  /**
   * Begins to take connections.
   *
   * @param backlog how many may wait to be accepted; the system's `somaxconn` bounds it
   * @returns whether it does: `false` when another socket has its port
   */
  listen(backlog: number): boolean {
    return socketCalls().listen(this.#need("listen on"), backlog) === 0;
  }

  /**
   * Accepts a connection. The new socket blocks if this one does.
   *
   * @returns its socket; `descriptors-exhausted`; `null` in place of a kind when none is waiting
   */
  accept(): AcceptOutcome {
    const descriptor = this.#need("accept on");
    const { accept, accept4 } = socketCalls();
    const { nonBlocking, closeOnExec } = socketConstants();
    const flags = (closeOnExec ?? 0) | (this.blocking ? 0 : nonBlocking ?? 0);
    namedLength[0] = named.length;
    const accepted = accept4?.(descriptor, named, namedLength, flags) ??
      accept(descriptor, named, namedLength);
    if (accepted >= 0) {
      return { ok: true, socket: new RawSocket(accepted, this.protocol, this.family, this.blocking) };
    }
    // One may have come since: that alone is no sign of a lack.
    const isFull = isReady(descriptor, POLL.in, 0) && !hasDescriptors();
    return { ok: false, kind: isFull ? "descriptors-exhausted" : null };
  }

  /** Its local port; 0 while it has none. */
  get localPort(): number {
    namedLength[0] = named.length;
    const result = socketCalls().getsockname(this.#need("ask for port of"), named, namedLength);
    return result === 0 ? namedPort() : 0;
  }

  /** Its local end; port 0 while it has none. */
  get local(): SocketEnd {
    namedLength[0] = named.length;
    socketCalls().getsockname(this.#need("ask for address of"), named, namedLength);
    return namedEnd(this.family);
  }

  /** The other end; `null` while it is not connected. */
  get peer(): SocketEnd | null {
    namedLength[0] = named.length;
    const result = socketCalls().getpeername(this.#need("ask for peer of"), named, namedLength);
    return result === 0 ? namedEnd(this.family) : null;
  }

  /**
   * Takes the error that waits at it (SO_ERROR): what became of a connect that did not block, a reset.
   *
   * @returns its kind, `null` when there is none
   */
  takeError(): FailureName | null {
    return failureOf(takeSocketError(this.#need("ask for error of")));
  }

  /**
   * What the kernel knows of its connection.
   *
   * @returns the facts
   * @throws {UnsupportedError} this system has no TCP_INFO
   * @throws {TypeError} it is no TCP socket
   */
  tcpInfo(): TcpInfo {
    const option = required(socketConstants().tcpInfo, "read facts of connection", "TCP_INFO");
    tcpInfoLength[0] = TCP_INFO_BYTES;
    const descriptor = this.#need("read facts of");
    if (socketCalls().getsockopt(descriptor, IPPROTO_TCP, option, tcpInfoBytes, tcpInfoLength) !== 0) {
      throw new TypeError(`Cannot read facts of connection as it is over ${this.protocol}`);
    }
    return parseTcpInfo(tcpInfoView, tcpInfoLength[0]!);
  }

  /**
   * Sends bytes.
   *
   * @param bytes what is sent
   * @returns how many were taken; -1 when none could be: {@linkcode takeError} tells of a broken connection
   */
  send(bytes: Uint8Array<ArrayBuffer>): number {
    noSignal ??= socketConstants().noSignal;
    return socketCalls().send(this.#need("send on"), bytes, sendSize.of(bytes.length), noSignal);
  }

  /**
   * Receives bytes.
   *
   * @param into where they are put
   * @returns how many came, 0 at the end, -1 when there are none or the connection is broken
   */
  receive(into: Uint8Array<ArrayBuffer>): number {
    return socketCalls().recv(this.#need("receive on"), into, receiveSize.of(into.length), 0);
  }

  /**
   * Ends a direction of the connection, for every descriptor of it.
   *
   * @param direction which: `send` says the end to the peer
   * @returns whether there was a connection
   */
  shutdown(direction: "send" | "receive" | "both"): boolean {
    return socketCalls().shutdown(this.#need("shut down"), DIRECTIONS[direction]) === 0;
  }

  /** Closes it. A second call does nothing. */
  close(): void {
    if (this.#descriptor < 0) return;
    socketCalls().close(this.#descriptor);
    this.#descriptor = -1;
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    this.close();
  }
}
