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
        `Cannot find the command as it runs, but nothing listens on ${hostname}:${port} after ${
          timeoutMs / 1000
        } s`,
        "Correct --server-port, or raise --server-start",
      );
    }
    await pause(POLL_MS, signal);
  }
}

/**
 * Waits until what listens at an address answers a request of HTTP, whatever it answers: the kernel takes connections
 * for a program whose workers are all gone.
 *
 * @param hostname the address
 * @param port the port
 * @param options how long that may take, in milliseconds, and what gives up
 * @throws {CannotRunHereError} no answer came in time
 * @throws {DOMException} the signal's reason
 */
export async function waitForAnswer(
  hostname: string,
  port: number,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs);
  while (!await answers(hostname, port, AbortSignal.any([signal, late]))) {
    signal.throwIfAborted();
    if (late.aborted) {
      throw new CannotRunHereError(
        `Cannot measure the command as it listens on ${hostname}:${port} but answered no request within ${
          Math.round(timeoutMs / 1000)
        } s`,
        "Look at what it says, or raise --server-start where it is slow to answer /",
      );
    }
    await pause(POLL_MS, signal);
  }
}

/** Asks once, over a connection that both sides close: it is not among those that are measured. */
async function answers(hostname: string, port: number, signal: AbortSignal): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname, port, signal });
    const close = () => connection.close();
    signal.addEventListener("abort", close, { once: true });
    const request = `GET / HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    const isAnswered = await connection.read(new Uint8Array(1)) !== null;
    signal.removeEventListener("abort", close);
    return isAnswered;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return false;
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
