/** Ctrl-C, handled once at the top: everything below is detached and stops when it is told. */
export interface Interruption extends Disposable {
  /** Aborts at the first Ctrl-C, or when the process is asked to end. */
  readonly signal: AbortSignal;
}

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Turns Ctrl-C into an abort, while it is held. A second Ctrl-C changes nothing: what is being saved is
 * saved. (`deno task` delivers every Ctrl-C twice.)
 *
 * @returns the interruption
 */
export function onInterrupt(): Interruption {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of SIGNALS) Deno.addSignalListener(name, abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of SIGNALS) Deno.removeSignalListener(name, abort);
    },
  };
}
