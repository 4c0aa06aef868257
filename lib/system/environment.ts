import { cpus } from "node:os";
import type { Environment, Fact } from "../record/mod.ts";
import { descriptorLimits } from "./limits.ts";
import { readKernelFile } from "./proc.ts";

/** The state of connlab itself, as whoever may run git found it. */
export interface SourceState {
  /** The commit; `null` when it is not known. */
  readonly commit: Fact<string>;
  /** Whether `lib`, `servers` and `deno.*` were as committed; `null` when it is not known. */
  readonly clean: Fact<boolean>;
  /** Why a fact is `null`; `null` when none is. */
  readonly reason: string | null;
}

/** Options of {@linkcode readEnvironment}. */
export interface EnvironmentOptions {
  /** Where the run's sockets live. */
  readonly isolation: Environment["isolation"];
  /** The state of connlab. @default {not known: "Read by the supervisor"} */
  readonly source?: SourceState;
}

const SOURCE_ELSEWHERE: SourceState = { commit: null, clean: null, reason: "Read by the supervisor" };

const TIME_WAIT_MS: Readonly<Record<string, number>> = { linux: 60_000, darwin: 30_000, windows: 120_000 };

/**
 * How long a socket stays in TIME_WAIT.
 *
 * Source: Linux, `include/net/tcp.h` (TCP_TIMEWAIT_LEN, fixed when the kernel is built); macOS, twice
 * `net.inet.tcp.msl`, 15 s unless changed; Windows, `TcpTimedWaitDelay`, about 2 minutes unless changed.
 *
 * @param os the system, as `Deno.build.os` names it
 * @returns the time in milliseconds, `null` where it is not known
 *
 * @example
 * ```ts
 * import { timeWaitMs } from "./environment.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(timeWaitMs("linux"), 60_000);
 * ```
 */
export function timeWaitMs(os: string): number | null {
  return TIME_WAIT_MS[os] ?? null;
}

/** The value, or an error with the reason for want of it. */
function known<T>(value: T | null | undefined, reason: string): T {
  if (value === null || value === undefined || value === "") throw new Error(reason);
  return value;
}

function setting(name: string): string {
  return readKernelFile(`/proc/sys/net/${name}`).trim();
}

function integer(text: string): number {
  if (!/^\d+$/.test(text)) throw new RangeError(`Cannot read a setting as it is no number: ${text}`);
  return Number(text);
}

function portRange(text: string): readonly [number, number] {
  const [low = "", high = ""] = text.split(/\s+/);
  return [integer(low), integer(high)];
}

function load1(): number {
  if (Deno.build.os === "windows") throw new Error("Windows keeps no load average");
  return known(Deno.loadavg()[0], "The system tells no load average");
}

function hardLimit(): number {
  const { hard } = descriptorLimits();
  if (hard === Infinity) throw new Error("There is no limit");
  return hard;
}

/**
 * The machine and its settings as the calling thread sees them: inside a network namespace, that
 * namespace's. Each fact is read on its own; one that cannot be read is `null`, with the reason under
 * its path.
 *
 * Uses `--allow-sys=osRelease,cpus,loadavg,systemMemoryInfo` and `--allow-ffi` of the C library; what a
 * right is missing for is `null`.
 *
 * @param options where the run's sockets live, and the state of connlab
 * @returns the environment
 *
 * @example
 * ```ts ignore
 * const { network, reasons } = readEnvironment({ isolation: "none" });
 * console.log(network.tcpTwReuse ?? reasons["network.tcpTwReuse"]);
 * ```
 */
export function readEnvironment(options: EnvironmentOptions): Environment {
  const { isolation, source = SOURCE_ELSEWHERE } = options;
  const { os, arch } = Deno.build;
  const reasons: Record<string, string> = {};
  const fact = <T>(path: string, read: () => T): Fact<T> => {
    try {
      return read();
    } catch (error) {
      reasons[path] = error instanceof Error ? error.message : String(error);
      return null;
    }
  };
  const sourceReason = source.reason ?? "Not known";

  return {
    system: { os, kernel: fact("system.kernel", () => Deno.osRelease()), arch },
    cpu: {
      model: fact("cpu.model", () => known(cpus()[0]?.model, "The system names no processor")),
      count: fact("cpu.count", () => navigator.hardwareConcurrency),
      load1: fact("cpu.load1", load1),
    },
    memoryBytes: fact("memoryBytes", () => Deno.systemMemoryInfo().total),
    runtime: { ...Deno.version },
    network: {
      ephemeralPorts: fact("network.ephemeralPorts", () => portRange(setting("ipv4/ip_local_port_range"))),
      reservedPorts: fact("network.reservedPorts", () => setting("ipv4/ip_local_reserved_ports")),
      tcpTwReuse: fact("network.tcpTwReuse", () => integer(setting("ipv4/tcp_tw_reuse"))),
      tcpFinTimeoutS: fact("network.tcpFinTimeoutS", () => integer(setting("ipv4/tcp_fin_timeout"))),
      tcpMaxTwBuckets: fact("network.tcpMaxTwBuckets", () => integer(setting("ipv4/tcp_max_tw_buckets"))),
      somaxconn: fact("network.somaxconn", () => integer(setting("core/somaxconn"))),
      congestionControl: fact("network.congestionControl", () => setting("ipv4/tcp_congestion_control")),
      timeWaitMs: fact("network.timeWaitMs", () => known(timeWaitMs(os), `Not known for ${os}`)),
    },
    limits: { descriptors: fact("limits.descriptors", hardLimit) },
    isolation,
    source: {
      commit: fact("source.commit", () => known(source.commit, sourceReason)),
      clean: fact("source.clean", () => known(source.clean, sourceReason)),
    },
    reasons,
  };
}
