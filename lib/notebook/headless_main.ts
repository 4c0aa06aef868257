/**
 * The program that runs notebooks: takes a {@linkcode RunnerSpec} on standard input and tells what happens
 * on standard output. `stop`, or the end of the input, interrupts: what was executed is saved.
 *
 * @module
 */
import { announce, Lifeline } from "../harness/mod.ts";
import { CannotRunHereError, MisuseError } from "../record/mod.ts";
import type { NotebookEvent } from "./headless/mod.ts";
import { runJobs } from "./headless/runner.ts";

function emit(event: NotebookEvent): void {
  try {
    announce({ ...event });
  } catch {
    // Whoever asked is gone: what was executed is saved all the same.
  }
}

const lifeline = new Lifeline();
const spec = await lifeline.nextLine();
if (spec === null) Deno.exit(0);
try {
  await runJobs(JSON.parse(spec), { signal: lifeline.signal, emit });
} catch (error) {
  if (error instanceof MisuseError) {
    emit({ type: "refused", status: 2, message: error.message, remedy: null });
  } else if (error instanceof CannotRunHereError) {
    emit({ type: "refused", status: 3, message: error.message, remedy: error.remedy });
  } else {
    console.error(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
Deno.exit(0);
