import { connect, type Socket } from "node:net";
import { BoundedList } from "../_shared/bounded_list.ts";
import type { Endpoint } from "../_shared/endpoint.ts";
import { Flow, type FlowOptions, type FlowRecord } from "./flow.ts";

/** What a {@linkcode Relay} has counted. */
export interface RelayStats {
  /** Connections that came. */
  readonly flows: number;
  /** Flows of which a socket is open. */
  readonly active: number;
  /** Flows, of those that are listed, that were forgotten. */
  readonly forgotten: number;
  /** Connections that were reset at once, as too many flows were open. They are not listed. */
  readonly refused: number;
  /** Flows that are not listed any more. */
  readonly dropped: number;
}

/** Flows that may be open at once: what bounds descriptors and memory. */
const MAX_ACTIVE = 5000;

/** Flows that are listed, the newest. */
const MAX_LISTED = 10_000;

/** Carries connections to a server, each as a flow that is forgotten when it is idle. */
export class Relay {
  readonly #upstream: Endpoint;
  readonly #options: Omit<FlowOptions, "now" | "onClosed">;
  readonly #beganMs = performance.now();
  readonly #listed = new BoundedList<{ state: Pick<Flow, "record"> }>(MAX_LISTED);
  #flows = 0;
  #active = 0;
  #refused = 0;

  /**
   * @param upstream the server that flows go to
   * @param options when a flow is forgotten, and how
   */
  constructor(upstream: Endpoint, options: Omit<FlowOptions, "now" | "onClosed">) {
    this.#upstream = upstream;
    this.#options = options;
  }

  /** The flows that are listed, in the order in which they were opened. */
  get flows(): FlowRecord[] {
    return this.#listed.items.map(({ state }) => state.record);
  }

  /** What it has counted. */
  get stats(): RelayStats {
    return {
      flows: this.#flows,
      active: this.#active,
      forgotten: this.flows.filter(({ forgottenMs }) => forgottenMs !== null).length,
      refused: this.#refused,
      dropped: this.#listed.dropped,
    };
  }

  /**
   * Carries a connection. It is accepted before the server is asked: one that the server refuses is reset.
   *
   * @param client the client's connection
   */
  take(client: Socket): void {
    this.#flows++;
    if (this.#active === MAX_ACTIVE) {
      this.#refused++;
      client.on("error", () => {/* it has reset the connection itself */});
      client.resetAndDestroy();
      return;
    }
    this.#active++;
    const { hostname, port } = this.#upstream;
    const flow = new Flow(client, connect({ host: hostname, port, allowHalfOpen: true }), {
      ...this.#options,
      now: () => performance.now() - this.#beganMs,
      onClosed: () => {
        this.#active--;
        // The record outlives the sockets.
        entry.state = { record: flow.record };
      },
    });
    const entry: { state: Pick<Flow, "record"> } = { state: flow };
    this.#listed.add(entry);
  }
}
