/**
 * One connection of a client, whatever carries it. Reads and writes reject with the error of the runtime;
 * {@linkcode classify} gives such an error its place in the list of failures.
 */
export interface Connection extends Disposable {
  /** The client's port. */
  readonly localPort: number;
  /** Time that the TCP handshake took, a name's resolution included, in milliseconds. */
  readonly connectMs: number;
  /**
   * Time that the TLS handshake took, in milliseconds; `null` on a plain connection. It includes what the runtime
   * does for every connection before its hello leaves, such as reading the authorities (seen: 0.1 ms).
   */
  readonly tlsMs: number | null;
  /** The protocol that ALPN agreed on; `null` on a plain connection, or where the server chose none. */
  readonly protocol: string | null;

  /**
   * Reads what has arrived; waits until there is something.
   *
   * @param into where the bytes go
   * @returns how many bytes came, at least 1; `null` once the peer has ended its side
   */
  read(into: Uint8Array): Promise<number | null>;

  /**
   * Hands all bytes to the system.
   *
   * @param bytes what is sent
   */
  writeAll(bytes: Uint8Array): Promise<void>;

  /** Closes it. A pending read or write rejects. Closing once more does nothing. */
  close(): void;
}

/**
 * Opens a connection to where a client's requests go.
 *
 * @param signal gives up connecting. It has no effect on a connection that stands
 * @returns the connection
 * @throws the error of the runtime, or the reason of the signal; within a {@linkcode TlsHandshakeError} when
 * it came after the TCP handshake
 */
export type Connect = (signal: AbortSignal) => Promise<Connection>;
