import type { Connection } from "../connection.ts";
import type { AcquireTimes } from "./acquire_error.ts";
import type { Member } from "./_member.ts";
import type { AcquireOptions, Lease } from "./options.ts";

/** What a lease asks of its pool. */
export interface Lender {
  takeBack(member: Member, reusable: boolean): number;
  replace(member: Member, options: AcquireOptions): Promise<Lease>;
}

/** A lease, which ends once. */
export class Loan implements Lease {
  readonly connection: Connection;
  readonly id: number;
  readonly address: string;
  readonly reused: boolean;
  readonly ageMs: number;
  readonly idleMs: number | null;
  readonly queuedMs: number;
  readonly dnsMs: number | null;
  readonly openMs: number | null;
  readonly #lender: Lender;
  readonly #member: Member;
  #ended = false;
  #endMs = 0;

  /**
   * @param lender the pool
   * @param member what is lent
   * @param nowMs the pool's clock
   * @param times what the request has waited for; `null` for one that did not wait
   */
  constructor(lender: Lender, member: Member, nowMs: number, times: AcquireTimes | null) {
    const connectMs = times?.connect ?? null;
    this.connection = member.connection;
    this.id = member.id;
    this.address = member.address;
    this.reused = member.used;
    this.ageMs = nowMs - member.openedMs;
    this.idleMs = connectMs === null ? nowMs - member.freeMs : null;
    this.queuedMs = times?.queue ?? 0;
    this.dnsMs = times?.dns ?? null;
    this.openMs = connectMs === null ? null : connectMs + (this.dnsMs ?? 0);
    this.#lender = lender;
    this.#member = member;
  }

  release(reusable: boolean): number {
    if (this.#ended) return this.#endMs;
    this.#ended = true;
    return this.#endMs = this.#lender.takeBack(this.#member, reusable);
  }

  async replace(options: AcquireOptions = {}): Promise<Lease> {
    if (this.#ended) throw new TypeError("Cannot replace connection as it was given back");
    options.signal?.throwIfAborted();
    this.#ended = true;
    return await this.#lender.replace(this.#member, options);
  }

  [Symbol.dispose](): void {
    this.release(false);
  }
}
