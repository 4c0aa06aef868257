import { addressText } from "./_address.ts";
import { socketCalls } from "./_socket_calls.ts";
import { SOCKET_STATES, type SocketFilter, type SocketVisit } from "./proc_tcp.ts";

/** Source: netlink(7), `include/uapi/linux/netlink.h`. */
const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_SOCK_DIAG = 4;
const NLM_F_REQUEST_DUMP = 0x1 | 0x300;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const HEADER_BYTES = 16;

/**
 * TCPDIAG_GETSOCK, the request from before SOCK_DIAG_BY_FAMILY. It brings IPv4 and IPv6 in one walk over the
 * kernel's hash table, which has as many buckets as the machine has memory for: the newer one takes a walk for
 * each family. Source: `include/uapi/linux/inet_diag.h`; Linux, `net/ipv4/inet_diag.c` (`inet_diag_dump_compat`).
 */
const TCPDIAG_GETSOCK = 18;
/** `struct inet_diag_req`: a word, the ends, the states, a word that is unused. */
const REQUEST_BYTES = HEADER_BYTES + 60;
const STATES_AT = HEADER_BYTES + 52;
const AF_INET = 2;

/** Where the parts of `struct inet_diag_msg` begin. Ports and addresses are in network byte order. */
const FAMILY_AT = 0;
const STATE_AT = 1;
const LOCAL_PORT_AT = 4;
const PEER_PORT_AT = 6;
const LOCAL_AT = 8;
const PEER_AT = 24;
/** Of a listening socket: connections that wait to be accepted, and how many may. */
const WAITING_AT = 56;
const LIMIT_AT = 60;

/** The kernel fills 32 KiB at most. Source: Linux, `net/netlink/af_netlink.c` (`netlink_recvmsg`). */
const BUFFER_BYTES = 65_536;

const request = new DataView(new ArrayBuffer(REQUEST_BYTES));
const answer = new Uint8Array(new ArrayBuffer(BUFFER_BYTES));
const answerView = new DataView(answer.buffer);

const EVERY_STATE = (1 << SOCKET_STATES.length + 1) - 2;

/** A state's bit is its number. */
function statesBitmap({ states }: SocketFilter): number {
  if (states === undefined) return EVERY_STATE;
  return SOCKET_STATES.reduce((bits, state, index) => states.has(state) ? bits | 1 << index + 1 : bits, 0);
}

/** Texts of addresses that have been met: there are few of them, and a text costs more than a look. */
class AddressTexts {
  readonly #ipv4 = new Map<number, string>();
  readonly #ipv6 = new Map<string, string>();

  readonly ipv4 = (at: number): string => {
    const key = answerView.getUint32(at);
    return this.#ipv4.get(key) ?? remember(this.#ipv4, key, at, 4);
  };

  readonly ipv6 = (at: number): string => {
    const word = (index: number) => answerView.getUint32(at + 4 * index);
    const key = `${word(0)} ${word(1)} ${word(2)} ${word(3)}`;
    return this.#ipv6.get(key) ?? remember(this.#ipv6, key, at, 16);
  };
}

function remember<K>(texts: Map<K, string>, key: K, at: number, length: 4 | 16): string {
  const text = addressText(answer, at, length);
  texts.set(key, text);
  return text;
}

/**
 * Asks the kernel for the TCP sockets of the calling thread's network namespace over netlink, and shows
 * those that are wanted, listening ones first. It sends them by the hundred: a socket that
 * changes meanwhile may be missed or seen twice.
 *
 * Needs `--allow-ffi` of the C library. Source: sock_diag(7).
 *
 * @param filter which sockets are wanted
 * @param visit what is called for each
 * @returns `false` when the system refuses, before anything was shown
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 * @throws {Error} the kernel's answer broke off
 */
export function visitSockDiag(filter: SocketFilter, visit: SocketVisit): boolean {
  const { ports, states } = filter;
  const texts = new AddressTexts();
  return ask(filter, (message) => {
    const localPort = answerView.getUint16(message + LOCAL_PORT_AT);
    const peerPort = answerView.getUint16(message + PEER_PORT_AT);
    if (ports !== undefined && !ports.has(localPort) && !ports.has(peerPort)) return;
    const state = SOCKET_STATES[answer[message + STATE_AT]! - 1]!;
    // A request for SYN_RECV brings NEW_SYN_RECV too, and the other way round.
    if (states !== undefined && !states.has(state)) return;
    const address = answer[message + FAMILY_AT] === AF_INET ? texts.ipv4 : texts.ipv6;
    const local = address(message + LOCAL_AT);
    visit(
      local.includes(":") ? "ipv6" : "ipv4",
      state,
      local,
      localPort,
      address(message + PEER_AT),
      peerPort,
    );
  });
}

/** The accept queue of a listening socket. */
export interface ListenQueue {
  /** The address that it listens on. */
  readonly address: string;
  /** The port. */
  readonly port: number;
  /** Connections whose handshake is complete and that wait to be accepted. */
  readonly waiting: number;
  /** How many may wait: the backlog, or `net.core.somaxconn` where that is less. One more finds room. */
  readonly limit: number;
}

/**
 * Asks the kernel for the accept queues of the sockets that listen in the calling thread's network namespace.
 *
 * Needs `--allow-ffi` of the C library. Source: sock_diag(7); Linux, `net/ipv4/tcp_diag.c` (`tcp_diag_get_info`).
 *
 * @param visit what is called for each
 * @returns `false` when the system refuses, before anything was shown
 * @throws {Error} as {@linkcode visitSockDiag} does
 */
export function visitListenQueues(visit: (queue: ListenQueue) => void): boolean {
  const texts = new AddressTexts();
  return ask({ states: new Set(["LISTEN"]) }, (message) => {
    const address = answer[message + FAMILY_AT] === AF_INET ? texts.ipv4 : texts.ipv6;
    visit({
      address: address(message + LOCAL_AT),
      port: answerView.getUint16(message + LOCAL_PORT_AT),
      waiting: answerView.getUint32(message + WAITING_AT, true),
      limit: answerView.getUint32(message + LIMIT_AT, true),
    });
  });
}

/** Shows where in {@linkcode answer} the message of each socket begins. */
function ask(filter: SocketFilter, show: (message: number) => void): boolean {
  const { socket, close } = socketCalls();
  const descriptor = socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return false;
  try {
    return dump(descriptor, filter, show);
  } finally {
    close(descriptor);
  }
}

function dump(descriptor: number, filter: SocketFilter, show: (message: number) => void): boolean {
  request.setUint32(0, REQUEST_BYTES, true);
  request.setUint16(4, TCPDIAG_GETSOCK, true);
  request.setUint16(6, NLM_F_REQUEST_DUMP, true);
  request.setUint32(STATES_AT, statesBitmap(filter), true);
  const { send, recv } = socketCalls();
  if (send(descriptor, request, BigInt(REQUEST_BYTES), 0) !== REQUEST_BYTES) return false;

  for (let isFirst = true;; isFirst = false) {
    const length = recv(descriptor, answer, BigInt(BUFFER_BYTES), 0);
    if (length <= 0 && isFirst) return false;
    if (length <= 0) throw new Error("Cannot read the socket table as the kernel's answer broke off");
    switch (read(length, show)) {
      case NLMSG_DONE:
        return true;
      case NLMSG_ERROR:
        if (isFirst) return false;
        throw new Error("Cannot read the socket table as the kernel reported an error in the middle");
    }
  }
}

/** Reads the messages of one answer; gives the type of the one that ends the dump, 0 when more follow. */
function read(length: number, show: (message: number) => void): number {
  for (let at = 0; at < length; at += answerView.getUint32(at, true) + 3 & ~3) {
    const type = answerView.getUint16(at + 4, true);
    if (type === NLMSG_DONE || type === NLMSG_ERROR) return type;
    show(at + HEADER_BYTES);
  }
  return 0;
}
