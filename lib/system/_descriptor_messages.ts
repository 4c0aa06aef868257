import { socketCalls } from "./_socket_calls.ts";
import { socketConstants } from "./_socket_constants.ts";
import { UnsupportedError } from "./unsupported_error.ts";

/** SCM_MAX_FD: how many descriptors one message carries at most. Source: unix(7). */
export const MOST_DESCRIPTORS = 253;

/** SCM_RIGHTS. Source: unix(7). */
const SCM_RIGHTS = 1;
const SOL_SOCKET = 1;
/** MSG_CMSG_CLOEXEC and MSG_CTRUNC. Source: recvmsg(2), `include/linux/socket.h`. */
const CLOSE_ON_EXEC = 0x40000000;
const CONTROL_TRUNCATED = 0x8;

/** SOCK_SEQPACKET: connected, and messages stay apart. Source: unix(7). */
const SOCK_SEQPACKET = 5;
const PATH_AT = 2;

/**
 * `struct msghdr` of 64-bit Linux points to one `struct iovec`, which points to the text of the message, and to
 * the control data with one `struct cmsghdr`. The addresses in it hold as long as the buffers, and these are
 * held here. Source: recvmsg(2), cmsg(3).
 */
const HEADER_BYTES = 56;
const IOVEC_AT = 16;
const IOVEC_COUNT_AT = 24;
const CONTROL_AT = 32;
const CONTROL_LENGTH_AT = 40;
const FLAGS_AT = 48;
const CMSG_HEADER_BYTES = 16;
const CMSG_LEVEL_AT = 8;
const CMSG_TYPE_AT = 12;
const TEXT_BYTES = 8;
const CONTROL_BYTES = CMSG_HEADER_BYTES + 4 * (MOST_DESCRIPTORS + 1);

const header = new DataView(new ArrayBuffer(HEADER_BYTES));
const vector = new DataView(new ArrayBuffer(16));
const text = new DataView(new ArrayBuffer(TEXT_BYTES));
const control = new DataView(new ArrayBuffer(CONTROL_BYTES));

/** A message between two processes of this machine. */
export interface DescriptorMessage {
  /** Two numbers, whose meaning is the processes' own. */
  readonly words: readonly [number, number];
  /** The descriptors that came with it: this process's own from now on. */
  readonly descriptors: readonly number[];
  /** Whether more descriptors were sent than this process may have. */
  readonly isTruncated: boolean;
}

/** Points the header at the buffers, which the kernel uses until the call returns. */
function prepare(controlBytes: number): void {
  const address = (buffer: DataView<ArrayBuffer>) => socketCalls().memset(buffer, 0, 0n);
  vector.setBigUint64(0, address(text), true);
  vector.setBigUint64(8, BigInt(TEXT_BYTES), true);
  header.setBigUint64(IOVEC_AT, address(vector), true);
  header.setBigUint64(IOVEC_COUNT_AT, 1n, true);
  header.setBigUint64(CONTROL_AT, controlBytes === 0 ? 0n : address(control), true);
  header.setBigUint64(CONTROL_LENGTH_AT, BigInt(controlBytes), true);
  header.setInt32(FLAGS_AT, 0, true);
}

/**
 * Sends a message with descriptors: the other process has its own of each when it receives them, be they
 * closed here in the meantime.
 *
 * @param channel the descriptor of the socket
 * @param words two numbers
 * @param descriptors the descriptors, {@linkcode MOST_DESCRIPTORS} at most
 * @returns whether it was sent
 */
export function sendMessage(
  channel: number,
  words: readonly [number, number],
  descriptors: readonly number[] = [],
): boolean {
  words.forEach((word, index) => text.setInt32(4 * index, word, true));
  const length = CMSG_HEADER_BYTES + 4 * descriptors.length;
  // The kernel takes the length of the control data rounded up to whole words (CMSG_SPACE).
  prepare(descriptors.length === 0 ? 0 : length + 7 & ~7);
  control.setBigUint64(0, BigInt(length), true);
  control.setInt32(CMSG_LEVEL_AT, SOL_SOCKET, true);
  control.setInt32(CMSG_TYPE_AT, SCM_RIGHTS, true);
  descriptors.forEach((descriptor, index) =>
    control.setInt32(CMSG_HEADER_BYTES + 4 * index, descriptor, true)
  );
  return socketCalls().sendmsg(channel, rawBytes(header), socketConstants().noSignal) === TEXT_BYTES;
}

/**
 * Receives a message.
 *
 * @param channel the descriptor of the socket; one that blocks waits for a message
 * @returns it; `null` when there is none, or the other process is gone
 */
export function receiveMessage(channel: number): DescriptorMessage | null {
  prepare(CONTROL_BYTES);
  if (socketCalls().recvmsg(channel, rawBytes(header), CLOSE_ON_EXEC) !== TEXT_BYTES) return null;
  const hasControl = Number(header.getBigUint64(CONTROL_LENGTH_AT, true)) >= CMSG_HEADER_BYTES;
  const length = hasControl ? Number(control.getBigUint64(0, true)) - CMSG_HEADER_BYTES : 0;
  return {
    words: [text.getInt32(0, true), text.getInt32(4, true)],
    descriptors: Array.from(
      { length: length / 4 },
      (_, index) => control.getInt32(CMSG_HEADER_BYTES + 4 * index, true),
    ),
    isTruncated: (header.getInt32(FLAGS_AT, true) & CONTROL_TRUNCATED) !== 0,
  };
}

function rawBytes(view: DataView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view.buffer);
}

/**
 * The address of a socket that has no file: its name begins with a zero byte, and is known in one network
 * namespace. Source: unix(7), "Abstract sockets".
 */
function abstractAddress(name: string): Uint8Array<ArrayBuffer> {
  const path = new TextEncoder().encode(`\0${name}`);
  const address = new Uint8Array(new ArrayBuffer(PATH_AT + path.length));
  address[0] = socketConstants().families.unix;
  address.set(path, PATH_AT);
  return address;
}

function openChannel(): number {
  if (Deno.build.os !== "linux") {
    throw new UnsupportedError("pass sockets to another process", "abstract sockets (unix(7))");
  }
  const { families, closeOnExec } = socketConstants();
  return socketCalls().socket(families.unix, SOCK_SEQPACKET | (closeOnExec ?? 0), 0);
}

/**
 * Connects to a process that listens under a name.
 *
 * @param name the name
 * @returns the descriptor of a socket that blocks; `null` when nothing listens there
 * @throws {UnsupportedError} this system has no such sockets
 */
export function connectChannel(name: string): number | null {
  const address = abstractAddress(name);
  const channel = openChannel();
  if (channel < 0) return null;
  if (socketCalls().connect(channel, address, address.length) === 0) return channel;
  socketCalls().close(channel);
  return null;
}

/**
 * Listens under a name.
 *
 * @param name the name
 * @returns the descriptor of the socket; `null` when another process has the name
 * @throws {UnsupportedError} this system has no such sockets
 */
export function listenChannel(name: string): number | null {
  const address = abstractAddress(name);
  const channel = openChannel();
  if (channel < 0) return null;
  const { bind, listen, close } = socketCalls();
  if (bind(channel, address, address.length) === 0 && listen(channel, 8) === 0) return channel;
  close(channel);
  return null;
}
