/** Ctrl-C, handled once at the top: everything below is detached and stops when it is told. */
export interface Interruption extends Disposable {
  /** Aborts at the first Ctrl-C, or when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** SIGHUP is left alone: it ends a lab whose terminal was closed, and nothing under `nohup`. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGQUIT"];

/** `deno task` keeps the folder that it was called from in `INIT_CWD`. */
const isTask = (): boolean => Deno.env.get("INIT_CWD") !== undefined;

const PARENT = Deno.ppid;
const PARENT_INTERVAL_MS = 1000;

/**
 * Turns Ctrl-C into an abort, while it is held. A second Ctrl-C changes nothing: what is being saved is
 * saved. (`deno task` delivers every Ctrl-C twice.) It aborts too when `deno task`, which started this
 * process, is killed: it cannot pass that on.
 *
 * @returns the interruption
 */
export function onInterrupt(): Interruption {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of SIGNALS) Deno.addSignalListener(name, abort);
  const look = () => Deno.ppid === PARENT || abort();
  const parent = isTask() ? setInterval(look, PARENT_INTERVAL_MS) : undefined;
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearInterval(parent);
      for (const name of SIGNALS) Deno.removeSignalListener(name, abort);
    },
  };
}
