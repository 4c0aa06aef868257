import type { Connection } from "../connection.ts";
import type { Origin } from "./options.ts";
import type { Waiter } from "./_waiter.ts";
import type { WatchedConnection } from "./_watched_connection.ts";

/** The connections to one origin, and who waits for one. Nobody waits while one is idle. */
export interface Group {
  /** What it is found by. */
  readonly key: string;
  readonly origin: Origin;
  /** How many connections there are: being opened, busy, idle. */
  size: number;
  /** The idle ones, the one that came back last at the end. */
  idle: Member[];
  /** Those whose turn has not come: a set keeps their order, and lets anyone leave. */
  readonly queue: Set<Waiter>;
}

/** A connection of a pool. */
export interface Member {
  readonly group: Group;
  /** Its place among those that the pool opened, from 1. */
  readonly id: number;
  readonly address: string;
  readonly connection: Connection;
  /** The same connection, when it is watched while it is idle. */
  readonly watched: WatchedConnection | null;
  readonly openedMs: number;
  /** When its lifetime is over. */
  readonly endMs: number;
  /** Since when it carries nothing. */
  freeMs: number;
  /** Whether it has carried a request. */
  used: boolean;
}
