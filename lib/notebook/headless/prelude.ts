/** The type of the message by which {@linkcode PRELUDE} tells of an error that no cell ended with. */
export const BACKGROUND_ERROR = "connlab_background_error";

/**
 * What a kernel runs before the first cell. The kernel is silent about a rejection that nobody handles,
 * and stalls when a timer throws; with these listeners both are told to the client.
 */
export const PRELUDE: string = `(() => {
  const broadcast = Deno.jupyter.broadcast;
  const tell = (how) => (event) => {
    event.preventDefault();
    const error = event.type === "error" ? event.error ?? event.message : event.reason;
    const known = error instanceof Error;
    const text = known ? String(error.stack) : Deno.inspect(error);
    broadcast(${JSON.stringify(BACKGROUND_ERROR)}, {
      ename: known ? String(error.name) : "Error",
      evalue: known ? String(error.message) : text,
      traceback: [how, ...text.split("\\n")],
    });
  };
  addEventListener("error", tell("Uncaught, outside of any cell"));
  addEventListener("unhandledrejection", tell("Uncaught in a promise"));
})();`;
