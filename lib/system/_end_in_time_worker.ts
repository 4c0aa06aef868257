/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { libc } from "./libc.ts";
import { sendSignal } from "./process.ts";

const STANDARD_INPUT = 0;

/** Settles when nobody holds the other end of standard input any more. Source: poll(2). */
async function inputEnds(): Promise<void> {
  // A struct pollfd: the descriptor, no events asked for, and what is told unasked: that the pipe hung up.
  const poll = new Int16Array(new Int32Array([STANDARD_INPUT, 0]).buffer);
  // A signal ends the call early.
  while (poll[3] === 0) await libc().poll(poll, 1n, -1);
}

self.onmessage = ({ data: graceMs }: MessageEvent<number>) => {
  const end = () => void setTimeout(() => sendSignal(Deno.pid, "SIGKILL"), graceMs);
  Deno.addSignalListener("SIGTERM", end);
  inputEnds().then(end);
  self.postMessage("asleep");
};
