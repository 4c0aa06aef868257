/** A fact about the machine, or `null` with an entry in {@linkcode Environment.reasons}. */
export type Fact<T> = T | null;

/**
 * The machine and the settings under a run, as seen from inside its network namespace. A field that
 * could not be read is `null`, and `reasons` says why under the field's path (`network.tcpTwReuse`).
 * No host name, user name or path is recorded.
 */
export interface Environment {
  /** The operating system. */
  readonly system: {
    /** `linux`, `darwin`, `windows` … */
    readonly os: string;
    /** The kernel's release. */
    readonly kernel: Fact<string>;
    /** The processor architecture. */
    readonly arch: string;
  };
  /** The processors. */
  readonly cpu: {
    /** The model's name. */
    readonly model: Fact<string>;
    /** Logical processors that may be used. */
    readonly count: Fact<number>;
    /** Load average over one minute when the run began (runnable processes). */
    readonly load1: Fact<number>;
  };
  /** Memory of the machine, in bytes. */
  readonly memoryBytes: Fact<number>;
  /** The runtime that measures. */
  readonly runtime: {
    /** Version of Deno. */
    readonly deno: string;
    /** Version of V8. */
    readonly v8: string;
    /** Version of TypeScript. */
    readonly typescript: string;
  };
  /** Network settings that change what connections do. */
  readonly network: {
    /** First and last ephemeral port, from `net.ipv4.ip_local_port_range`. */
    readonly ephemeralPorts: Fact<readonly [number, number]>;
    /** `net.ipv4.ip_local_reserved_ports`, as written there. */
    readonly reservedPorts: Fact<string>;
    /** `net.ipv4.tcp_tw_reuse`: 0 off, 1 everywhere, 2 on loopback. */
    readonly tcpTwReuse: Fact<number>;
    /** `net.ipv4.tcp_fin_timeout`, in seconds. */
    readonly tcpFinTimeoutS: Fact<number>;
    /** `net.ipv4.tcp_max_tw_buckets`: sockets in TIME_WAIT that the system keeps at most. */
    readonly tcpMaxTwBuckets: Fact<number>;
    /** `net.core.somaxconn`: longest accept queue. */
    readonly somaxconn: Fact<number>;
    /** `net.ipv4.tcp_congestion_control`. */
    readonly congestionControl: Fact<string>;
    /** How long a socket stays in TIME_WAIT on this system, in milliseconds. */
    readonly timeWaitMs: Fact<number>;
  };
  /** Limits of the measuring process. */
  readonly limits: {
    /** File descriptors it may have open (the hard limit: Deno raises the soft one to it). */
    readonly descriptors: Fact<number>;
  };
  /** Where the run's sockets live: the machine's own network, or a namespace made for the run. */
  readonly isolation: "none" | "namespace" | "link";
  /** The state of connlab itself. */
  readonly source: {
    /** The commit. */
    readonly commit: Fact<string>;
    /** Whether `lib`, `servers` and `deno.*` were as committed. */
    readonly clean: Fact<boolean>;
  };
  /** Why a field is `null`, by its path. */
  readonly reasons: Readonly<Record<string, string>>;
}
