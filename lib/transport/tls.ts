import { SocketConnection } from "./_socket_connection.ts";
import type { Connection } from "./connection.ts";
import { type ConnectTcpOptions, openSocket } from "./tcp.ts";

/** Where a TLS connection goes, and whom it trusts. */
export interface ConnectTlsOptions extends ConnectTcpOptions {
  /** Certificates of authorities that are trusted besides the usual ones, as PEM text. @default {none} */
  readonly caCerts?: readonly string[];
  /** The protocols that are offered (ALPN, RFC 7301), the preferred one first. @default {none is offered} */
  readonly alpn?: readonly string[];
  /** The name or address that the server's certificate must be for. @default {the `hostname`} */
  readonly serverName?: string;
}

/** A TLS handshake that failed, on a TCP connection that stood. Its cause is the error of the runtime. */
export class TlsHandshakeError extends Error {
  /** Its class, for people. */
  override readonly name: string = "TlsHandshakeError";
  /** Time that the TCP handshake took, in milliseconds. */
  readonly connectMs: number;

  /**
   * Makes one.
   *
   * @param connectMs time that the TCP handshake took, in milliseconds
   * @param cause the error of the runtime
   */
  constructor(connectMs: number, cause: unknown) {
    super("The TLS handshake failed", { cause });
    this.connectMs = connectMs;
  }
}

/**
 * Opens a TCP connection with Nagle's algorithm off, and makes a full TLS handshake on it: sessions are not
 * kept, so that none is ever resumed. The server's certificate is always verified. Needs `--allow-net` of
 * the address.
 *
 * `Deno.connectTls` would leave Nagle's algorithm on, which delays the first request by a round trip. When the
 * signal ends a handshake, the runtime keeps the socket until the server closes it.
 *
 * @param options where it goes, and whom it trusts
 * @returns the connection, its handshake done
 * @throws {TlsHandshakeError} the TCP connection stood and the handshake failed
 * @throws {RangeError} the port is out of range
 * @throws what Deno throws when a connection fails, or the reason of the signal while it connects
 *
 * @example
 * ```ts ignore
 * using connection = await connectTls({ hostname: "127.0.0.1", port: 8443, caCerts: [ca], alpn: ["http/1.1"] });
 * const { connectMs, tlsMs, protocol } = connection;
 * ```
 */
export async function connectTls(options: ConnectTlsOptions): Promise<Connection> {
  const { hostname, caCerts = [], alpn = [], signal, now = () => performance.now() } = options;
  const { serverName = hostname } = options;
  const { socket, connectMs } = await openSocket(options);
  const startMs = now();
  let secured: Deno.TlsConn | null = null;
  const close = () => {
    try {
      (secured ?? socket).close();
    } catch {
      // TLS has taken the socket over, and is not there yet.
    }
  };
  signal?.addEventListener("abort", close);
  try {
    signal?.throwIfAborted();
    secured = await Deno.startTls(socket, {
      hostname: serverName,
      caCerts: [...caCerts],
      alpnProtocols: [...alpn],
    });
    signal?.throwIfAborted();
    const { alpnProtocol } = await secured.handshake();
    const tlsMs = now() - startMs;
    return new SocketConnection(secured, { connectMs, tlsMs, protocol: alpnProtocol });
  } catch (error) {
    close();
    throw new TlsHandshakeError(connectMs, signal?.aborted ? signal.reason : error);
  } finally {
    signal?.removeEventListener("abort", close);
  }
}
