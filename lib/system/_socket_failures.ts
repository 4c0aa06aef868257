import type { FailureName } from "../record/mod.ts";
import { isReady, POLL, socketCalls } from "./_socket_calls.ts";
import { socketConstants } from "./_socket_constants.ts";
import { canReach, canTake, hasDescriptors, hasPeer, hasPort, withProbe } from "./_socket_probes.ts";
import { isOwnAddress } from "./own_address.ts";
import type { AddressFamily } from "./proc_tcp.ts";
import type { SocketAddress } from "./socket_address.ts";
import { takeSocketError } from "./socket_options.ts";

/** F_SETFL. Source: fcntl(2). */
const SET_FLAGS = 4;
const LOWEST_UNPRIVILEGED = 1024;
/** How long an attempt that does not block is awaited. */
const AWAITED_MS = 1000;

/**
 * The kind of failure that an error number stands for.
 *
 * @param error the number, 0 for none
 * @returns its kind, `null` for none
 */
export function failureOf(error: number): FailureName | null {
  const { errors } = socketConstants();
  switch (error) {
    case 0:
      return null;
    case errors.addressInUse:
      return "address-in-use";
    case errors.addressNotAvailable:
      return "local-ports-exhausted";
    case errors.connectionRefused:
      return "refused";
    case errors.timedOut:
      return "timed-out";
    case errors.connectionReset:
    case errors.brokenPipe:
      return "reset";
    case errors.networkUnreachable:
    case errors.hostUnreachable:
      return "unreachable";
    default:
      return "other";
  }
}

/**
 * Why a socket could not be opened.
 *
 * @returns why
 */
export function whyNoSocket(): FailureName {
  return hasDescriptors() ? "other" : "descriptors-exhausted";
}

/**
 * Why an address could not be taken.
 *
 * @param address the address
 * @returns why
 */
export function whyNotBound(address: SocketAddress): FailureName {
  const isAllowed = address.port === 0 || address.port >= LOWEST_UNPRIVILEGED || isPermitted(address);
  return isAllowed && isOwnAddress(address.address) !== false ? "address-in-use" : "other";
}

/** Whether this process may take a port at all: TCP and UDP need the same right, and have ports of their own. */
function isPermitted(address: SocketAddress): boolean {
  const takes = (protocol: "tcp" | "udp") =>
    withProbe(protocol, address.family, (descriptor) => canTake(descriptor, address)) === true;
  return takes("udp") || takes("tcp");
}

/** A socket that was to connect. */
interface Attempt {
  readonly protocol: "tcp" | "udp";
  readonly family: AddressFamily;
  readonly blocking: boolean;
}

/**
 * Why a TCP socket without a port has none: either no port was free, or there is no way to the address. A UDP
 * socket has the same ways, and ports of its own.
 */
function whyNoPort(family: AddressFamily, address: SocketAddress): FailureName {
  const reaches = withProbe("udp", family, (descriptor) => canReach(descriptor, address));
  return reaches === false ? "unreachable" : "local-ports-exhausted";
}

/**
 * Why a UDP socket is not connected: it is given its port first, and then looks for a way. What was refused is
 * told by a later call.
 *
 * Source: Linux, `net/ipv4/af_inet.c` (`inet_dgram_connect`).
 */
function whyNoDatagrams(descriptor: number): FailureName {
  if (!hasPort(descriptor)) return "local-ports-exhausted";
  return failureOf(takeSocketError(descriptor)) ?? "unreachable";
}

/**
 * What became of an attempt that does not block: the error that waits at the socket, or nothing wrong.
 * With neither an error nor a peer it was refused before it began, as a connection has the same two ends.
 */
function outcome(descriptor: number, timeoutMs: number): FailureName | null {
  // A socket that has not begun is ready at once, with neither an error nor a peer.
  if (!isReady(descriptor, POLL.out, timeoutMs)) return "timed-out";
  const error = failureOf(takeSocketError(descriptor));
  return error ?? (hasPeer(descriptor) ? null : "local-ports-exhausted");
}

/**
 * Why a socket is not connected. A blocking connect takes its error with it, and leaves only its traces.
 *
 * @param descriptor the socket's descriptor
 * @param attempt the socket
 * @param address the address that it was to be connected to
 * @returns why, `null` when it is connected by now
 * @throws {TypeError} the address is of another family
 */
export function whyNotConnected(
  descriptor: number,
  attempt: Attempt,
  address: SocketAddress,
): FailureName | null {
  const { protocol, family, blocking } = attempt;
  if (family !== address.family) {
    throw new TypeError(`Cannot connect socket as it is of ${family}: current value is ${address.address}`);
  }
  if (protocol === "udp") return whyNoDatagrams(descriptor);
  if (!hasPort(descriptor)) return whyNoPort(family, address);
  if (!blocking) return outcome(descriptor, AWAITED_MS);
  // One whose time was up still tries; every other one has stopped.
  if (!isReady(descriptor, POLL.out, 0)) return "timed-out";
  const { nonBlocking } = socketConstants();
  // The same call on the same socket meets the same obstacle, and without blocking its error stays.
  if (nonBlocking === null || socketCalls().fcntl(descriptor, SET_FLAGS, nonBlocking) !== 0) return "other";
  if (canReach(descriptor, address)) return "other";
  return outcome(descriptor, AWAITED_MS) ?? "other";
}
