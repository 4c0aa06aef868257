/**
 * Where a kernel listens, and the key that messages are signed with: the content of a connection file.
 *
 * Source: https://jupyter-client.readthedocs.io/en/stable/kernels.html#connection-files
 */
export interface Connection {
  /** Always `tcp`. */
  readonly transport: "tcp";
  /** The address that it listens on. */
  readonly ip: string;
  /** Port for requests. */
  readonly shell_port: number;
  /** Port for outputs. */
  readonly iopub_port: number;
  /** Port for questions to the person. */
  readonly stdin_port: number;
  /** Port for requests that overtake others. */
  readonly control_port: number;
  /** Port of the heartbeat. */
  readonly hb_port: number;
  /** Always `hmac-sha256`. */
  readonly signature_scheme: "hmac-sha256";
  /** The key. */
  readonly key: string;
  /** Always `deno`. */
  readonly kernel_name: "deno";
}

/**
 * A connection on loopback with ports that are free at this moment. Another process may take one before
 * the kernel does; the kernel then ends at once.
 *
 * Needs `--allow-net=127.0.0.1`.
 *
 * @returns the connection, with a new key
 */
export function freeConnection(): Connection {
  const ip = "127.0.0.1";
  const listeners = Array.from({ length: 5 }, () => Deno.listen({ hostname: ip, port: 0 }));
  const [shell, iopub, stdin, control, heartbeat] = listeners.map(({ addr }) => (addr as Deno.NetAddr).port);
  for (const listener of listeners) listener.close();
  return {
    transport: "tcp",
    ip,
    shell_port: shell!,
    iopub_port: iopub!,
    stdin_port: stdin!,
    control_port: control!,
    hb_port: heartbeat!,
    signature_scheme: "hmac-sha256",
    key: crypto.randomUUID(),
    kernel_name: "deno",
  };
}
