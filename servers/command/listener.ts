import { CannotRunHereError } from "../../lib/record/mod.ts";
import { pause, readSockets, socketTableSupport } from "../../lib/system/mod.ts";

const POLL_MS = 10;

const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * Makes sure that nothing listens yet where a command is to: it would be taken for the command.
 *
 * @param hostname the address
 * @param port the port
 * @throws {CannotRunHereError} something does
 */
export async function requireFreePort(hostname: string, port: number): Promise<void> {
  if (!await isListening(hostname, port)) return;
  throw new CannotRunHereError(
    `Cannot start command as something listens on ${hostname}:${port} already`,
    "End that, or have the command listen on another port and name it",
  );
}

/**
 * Waits until something listens at an address.
 *
 * @param hostname the address
 * @param port the port
 * @param options how long that may take, in milliseconds, and what gives up
 * @throws {CannotRunHereError} nothing did in time
 * @throws {DOMException} the signal's reason
 */
export async function waitForListener(
  hostname: string,
  port: number,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!await isListening(hostname, port)) {
    signal.throwIfAborted();
    if (performance.now() > deadlineMs) {
      throw new CannotRunHereError(
        `Cannot find the command as nothing listens on ${hostname}:${port} after ${timeoutMs / 1000} s`,
        "Name the port that it listens on, or let it take longer",
      );
    }
    await pause(POLL_MS, signal);
  }
}

/** Looked up in the socket table where there is one, as a connection would count at the server. */
async function isListening(hostname: string, port: number): Promise<boolean> {
  if (socketTableSupport().available) {
    return readSockets({ ports: new Set([port]), states: new Set(["LISTEN"]) })
      .some(({ local: { address } }) => address === hostname || WILDCARDS.has(address));
  }
  try {
    (await Deno.connect({ hostname, port })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return false;
  }
}
