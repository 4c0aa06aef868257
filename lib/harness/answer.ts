import { announce, endInTime, Lifeline } from "../system/mod.ts";
import { toRefusal } from "./refusal.ts";

/** How long a program that was told to end may take to bring its work to an end, in milliseconds. */
const GRACE_MS = 10_000;

/** What the work of a program has of whoever asked for it. */
export interface Desk<Event extends object> {
  /** Aborts when the work is to be brought to its end. */
  readonly signal: AbortSignal;
  /** Tells what happens. When nobody listens any more, the work goes on to its end all the same. */
  readonly emit: (event: Event) => void;
  /** Waits for what whoever asked says next; `null` when the work is to end. */
  readonly next: () => Promise<string | null>;
}

/** What {@linkcode answer} may be told. */
export interface AnswerOptions {
  /** How long the process may live on after it was told to end, in milliseconds. @default {10 s} */
  graceMs?: number;
}

/**
 * What every program of the lab below a {@linkcode Program} does: takes a request on standard input, works,
 * and tells on standard output what happens. It ends with its work, and in time when it is told to or its
 * parent dies, whatever the work is at by then.
 *
 * @param work what it does with the request
 * @param options how long it may take to end
 */
export async function answer<Request, Event extends object>(
  work: (request: Request, desk: Desk<Event>) => Promise<void>,
  options: AnswerOptions = {},
): Promise<never> {
  const lifeline = new Lifeline();
  await endInTime(lifeline, options.graceMs ?? GRACE_MS);
  const request = await lifeline.nextLine();
  if (request === null) Deno.exit(0);
  try {
    await work(JSON.parse(request), {
      signal: lifeline.signal,
      emit: say,
      next: () => lifeline.nextLine(),
    });
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal === null) {
      console.error(error instanceof Error ? error.message : String(error));
      Deno.exit(1);
    }
    say(refusal);
  }
  // The work may have left something open: it is over all the same.
  Deno.exit(0);
}

function say(event: object): void {
  try {
    announce({ ...event }, { apart: true });
  } catch {
    // Whoever asked is gone, and the lifeline tells.
  }
}
