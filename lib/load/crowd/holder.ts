import { encodeRequest } from "../../transport/mod.ts";
import type { CrowdBehaviour, CrowdPlan } from "../crowd_plan.ts";
import type { LoadTarget } from "../plan.ts";
import type { Ledger } from "./ledger.ts";

/** Opens connections of one thread and holds them. */
export interface CrowdHolder {
  /** What became of each. */
  readonly ledger: Ledger;

  /**
   * Opens them. They are held, and what becomes of them is seen, until they are closed.
   *
   * @returns once each is open or has failed, or they are closed
   */
  open(): Promise<void>;

  /**
   * Closes them.
   *
   * @returns once they are
   */
  close(): Promise<void>;
}

/** What a {@linkcode CrowdHolder} is told. */
export interface HolderJob {
  /** The plan of all shards together. */
  readonly plan: CrowdPlan;
  /** How many of this thread's connections may be opening at once, >= 1. */
  readonly burst: number;
  /** Where they go, in turn. */
  readonly targets: readonly LoadTarget[];
  /** What becomes of them is written here: it has a place for each connection of this thread. */
  readonly ledger: Ledger;
  /** The clock: milliseconds since the crowd began to open. */
  readonly now: () => number;
}

/** What a client without a request body announces, to hold a server that waits for it: 1 MiB. */
const ANNOUNCED_BYTES = 1_048_576;

/** The byte that a header goes on with: part of a field's value, so that the field never ends. */
export const DRIP: Uint8Array<ArrayBuffer> = new TextEncoder().encode("a");

/**
 * What is sent over a connection once it stands.
 *
 * @param behaviour what the connection does
 * @param target where it goes
 * @returns the bytes: a whole request, or the beginning of one
 * @throws {TypeError} the path or the host cannot be sent
 */
export function openingOf(
  behaviour: CrowdBehaviour,
  { hostname, port, path }: LoadTarget,
): Uint8Array<ArrayBuffer> {
  const whole = encodeRequest({ method: "GET", path, hostname, port });
  if (behaviour.kind === "idle" || behaviour.kind === "slow") return whole;
  const text = new TextDecoder().decode(whole);
  const rest = behaviour.kind === "half-header"
    ? text.replace(/\r\n$/, "x-drip: ")
    : text.replace(/^GET/, "POST").replace(/\r\n$/, `content-length: ${ANNOUNCED_BYTES}\r\n\r\n`);
  return new TextEncoder().encode(rest);
}
