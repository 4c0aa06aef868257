import { SOCKET_STATES, type SocketState } from "./proc_tcp.ts";

/** What the kernel knows of a TCP connection; `null` for what an older kernel does not tell. */
export interface TcpInfo {
  /** Its state. */
  readonly state: SocketState;
  /** The time after which an unanswered segment is sent again. */
  readonly retransmissionTimeoutMs: number;
  /** The largest segment that is sent, in bytes. */
  readonly segmentBytes: number;
  /** Segments sent and not acknowledged. */
  readonly unackedSegments: number;
  /** The smoothed round-trip time. */
  readonly rttMs: number;
  /** Its mean deviation. */
  readonly rttDeviationMs: number;
  /** Where slow start ends, in segments. */
  readonly slowStartThresholdSegments: number;
  /** The congestion window, in segments. */
  readonly congestionWindowSegments: number;
  /** Segments that were sent again, in all. */
  readonly retransmissions: number;
  /** The rate at which it may send; `null` also for no limit. */
  readonly pacingBytesPerSecond: number | null;
  /** Bytes that the peer has acknowledged. */
  readonly ackedBytes: number | null;
  /** The window that the peer offers, in bytes. */
  readonly sendWindowBytes: number | null;
}

/** The size of `struct tcp_info` in Linux 6.18, with room for what later kernels add. */
export const TCP_INFO_BYTES = 512;

/** The least that every kernel since 2.6 gives: up to `tcpi_total_retrans`. */
const LEAST_BYTES = 104;

/**
 * Reads `struct tcp_info`.
 *
 * Source: tcp(7); Linux, `include/uapi/linux/tcp.h`.
 *
 * @param view what the kernel wrote
 * @param lengthBytes how much of it
 * @returns what it says
 * @throws {RangeError} it is too short, or its state is unknown
 */
export function parseTcpInfo(view: DataView, lengthBytes: number): TcpInfo {
  if (lengthBytes < LEAST_BYTES) {
    throw new RangeError(
      `Cannot read TCP_INFO as it must be >= ${LEAST_BYTES} bytes: current value is ${lengthBytes}`,
    );
  }
  const state = SOCKET_STATES[view.getUint8(0) - 1];
  if (state === undefined) {
    throw new RangeError(
      `Cannot read TCP_INFO as its state is unknown: current value is ${view.getUint8(0)}`,
    );
  }
  const u32 = (at: number) => view.getUint32(at, true);
  const us = (at: number) => u32(at) / 1000;
  const u64 = (at: number) => {
    const value = Number(view.getBigUint64(at, true));
    return value > Number.MAX_SAFE_INTEGER ? null : value;
  };
  const where = <T>(at: number, size: number, read: (at: number) => T) =>
    at + size <= lengthBytes ? read(at) : null;
  return {
    state,
    retransmissionTimeoutMs: us(8),
    segmentBytes: u32(16),
    unackedSegments: u32(24),
    rttMs: us(68),
    rttDeviationMs: us(72),
    slowStartThresholdSegments: u32(76),
    congestionWindowSegments: u32(80),
    retransmissions: u32(100),
    pacingBytesPerSecond: where(104, 8, u64),
    ackedBytes: where(120, 8, u64),
    sendWindowBytes: where(228, 4, u32),
  };
}
