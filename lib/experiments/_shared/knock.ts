import { failure } from "../../record/mod.ts";
import {
  classify,
  type ClientOptions,
  type ClientVariant,
  describe,
  openClient,
} from "../../transport/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { type Subject, TargetSubject } from "./subject.ts";
import { describeUnanswered } from "./unanswered.ts";

/** How {@linkcode knock} asks. */
export interface KnockOptions {
  /** Where a target that answers with another status than success is told. */
  readonly warn: MeasureContext["warn"];
  /** What asks. @default {"raw/new"} */
  readonly variant?: ClientVariant;
  /** How the clients of the measurement speak to it. @default {over plain connections} */
  readonly client?: ClientOptions;
  /** How long it may take to connect, and then to answer, in milliseconds. @default {10 s} */
  readonly limitMs?: number;
}

/**
 * Makes a first request to a server of the person's own: one that does not answer is told at once, and not as
 * thousands of rows.
 *
 * @param target its URL
 * @param options how it is asked
 * @returns the server as a subject
 * @throws {Error} it takes no connection, or the request failed, or either took too long
 */
export async function knock(target: string, options: KnockOptions): Promise<Subject> {
  const { variant = "raw/new", client: how, limitMs = 10_000 } = options;
  let subject: Subject;
  const late = AbortSignal.timeout(limitMs);
  try {
    subject = await TargetSubject.find(target, { signal: late });
  } catch (error) {
    const why = late.aborted
      ? describeUnanswered(failure("connect", "timed-out"), `None within ${limitMs / 1000} s`)
      : describeUnanswered(classify(error, "connect"), describe(error));
    throw new Error(`Cannot measure ${target} as ${why}`);
  }
  const destination = subject.next();
  const { path } = destination;
  using client = openClient(variant, destination, { ...how, path, timeoutMs: limitMs });
  const { failure: failed, error, status } = await client.request();
  if (failed !== null) throw new Error(`Cannot measure ${target} as ${describeUnanswered(failed, error!)}`);
  if (status! >= 300) {
    options.warn({
      code: "target-status",
      message: `The target answers with status ${status}`,
      remedy: "Name a URL that answers with 200, unless it is this answer that you want to measure",
    });
  }
  return subject;
}
