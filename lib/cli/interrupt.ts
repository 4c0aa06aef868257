/** Ctrl-C, handled once at the top: everything below is detached and stops when it is told. */
export interface Interruption extends Disposable {
  /** Aborts at the first Ctrl-C, or when the process is asked to end. */
  readonly signal: AbortSignal;
}

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"];

/**
 * Whether the closing of a terminal is the end of this. Under `nohup` it is not: none of the three is a
 * terminal then. (That the signal is to be ignored cannot be seen: `deno task` does not pass it on.)
 */
const hasTerminal = (): boolean => [Deno.stdin, Deno.stdout, Deno.stderr].some((one) => one.isTerminal());

/** `deno task` keeps the folder that it was called from in `INIT_CWD`. */
const isTask = (): boolean => Deno.env.get("INIT_CWD") !== undefined;

const ignore = () => {};

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
  const heed = (name: Deno.Signal) => name === "SIGHUP" && !hasTerminal() ? ignore : abort;
  const listeners = SIGNALS.map((name) => [name, heed(name)] as const);
  for (const [name, listener] of listeners) Deno.addSignalListener(name, listener);
  const look = () => Deno.ppid === PARENT || abort();
  const parent = isTask() ? setInterval(look, PARENT_INTERVAL_MS) : undefined;
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearInterval(parent);
      for (const [name, listener] of listeners) Deno.removeSignalListener(name, listener);
    },
  };
}
