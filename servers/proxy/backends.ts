import { type Connection, connectTcp, type Lease, Pool } from "../../lib/transport/mod.ts";
import { type Endpoint, endpointText } from "../_shared/endpoint.ts";
import type { Deadlines } from "./deadlines.ts";
import type { ProxyFlags } from "./flags.ts";

/** The servers behind a proxy, in turn, and the connections to them. */
export class Backends {
  readonly #pool: Pool;
  readonly #endpoints: readonly Endpoint[];
  readonly #keeps: boolean;
  #next = 0;

  /**
   * @param flags where they are, and the limits of the pool
   * @param deadlines what gives up connecting: a timer for each connection would be a tenth of its cost
   */
  constructor(flags: ProxyFlags, deadlines: Deadlines) {
    const { backend, pool, idlePerBackend, idleTimeout: idleTimeoutMs, maxPerBackend, watchIdle } = flags;
    this.#endpoints = backend;
    this.#keeps = pool === "on";
    this.#pool = new Pool({
      connect: (hostname, { port }) => connectWithin(flags.connectTimeout, deadlines, { hostname, port }),
      maxIdlePerOrigin: idlePerBackend,
      idleTimeoutMs,
      watchIdle: this.#keeps && watchIdle === "on",
      ...(maxPerBackend === null ? {} : { maxPerOrigin: maxPerBackend }),
    });
  }

  /** Borrows a connection to the backend whose turn it is. */
  acquire(signal: AbortSignal): Promise<Lease> {
    const endpoint = this.#endpoints[this.#next]!;
    this.#next = (this.#next + 1) % this.#endpoints.length;
    return this.#pool.acquire(endpoint, { signal });
  }

  /** Gives a connection back. Without a pool none is kept: the proxy closes it, and so is the side that closes first. */
  release(lease: Lease, reusable: boolean): void {
    lease.release(reusable && this.#keeps);
  }

  /** What `/__stats` tells of them. */
  get stats(): Record<string, unknown> {
    const { opened, failedToOpen, reused, retired, busy, idle, waiting } = this.#pool.counts;
    return {
      backends: this.#endpoints.map(endpointText),
      ...{ opened, failedToOpen, reused, retired, busy, idle, waiting },
    };
  }
}

async function connectWithin(ms: number, deadlines: Deadlines, endpoint: Endpoint): Promise<Connection> {
  const controller = new AbortController();
  const timed = {
    deadlineMs: deadlines.in(ms),
    expire: () => controller.abort(new DOMException("Connecting took too long", "TimeoutError")),
  };
  deadlines.add(timed);
  try {
    return await connectTcp({ ...endpoint, signal: controller.signal });
  } finally {
    deadlines.delete(timed);
  }
}
