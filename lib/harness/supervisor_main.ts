/**
 * The supervisor of one run: takes a request on standard input and tells what happens on standard
 * output.
 *
 * @module
 */
import { CannotRunHereError, MisuseError } from "../record/mod.ts";
import { announce, Lifeline } from "../system/mod.ts";
import type { SupervisorEvent } from "./protocol.ts";
import { supervise } from "./supervisor.ts";

function emit(event: SupervisorEvent): void {
  try {
    announce({ ...event });
  } catch {
    // Whoever asked for the run is gone: it is brought to its end all the same.
  }
}

const lifeline = new Lifeline();
const request = await lifeline.nextLine();
if (request === null) Deno.exit(0);
try {
  await supervise(JSON.parse(request), {
    signal: lifeline.signal,
    emit,
    drawSeed: () => crypto.getRandomValues(new Uint32Array(1))[0]!,
  });
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
