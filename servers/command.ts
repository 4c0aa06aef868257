/**
 * Keeps a command of a person's own: starts it in a process group of its own, says where it listens once it does, and
 * ends it with itself. It needs `--allow-run` of that one program and `--allow-ffi` of the C library.
 *
 * @module
 */
import { CannotRunHereError, command, duration, integer, text } from "../lib/record/mod.ts";
import { announce, pause } from "../lib/system/mod.ts";
import { KeptCommand } from "./command/kept_command.ts";
import { requireFreePort, waitForAnswer, waitForListener } from "./command/listener.ts";
import { descriptorsFlag, lowerDescriptors } from "./_shared/descriptors.ts";
import { HOSTNAME, misuse, optional, type ServerUsage } from "./_shared/flags.ts";
import { runServer } from "./_shared/program.ts";

/** Deno has about half as many open by itself. */
const LEAST_DESCRIPTORS = 64;

/** How long a command is watched once it listens, in milliseconds, before it counts as one that stays. */
const SETTLE_MS = 100;

/** How long the first answer may take at least, in milliseconds: it shares the time of the start. */
const LEAST_ANSWER_MS = 2000;

const params = {
  run: command({ help: "what is started" }),
  folder: optional(text({ default: "", help: "the folder in which it is started" })),
  hostname: { ...HOSTNAME, help: "the address that it listens on" },
  port: optional(integer({ min: 1, max: 65_535, default: 80, help: "the port that it listens on" })),
  startTimeout: duration({
    default: "10s",
    help: "how long it may take until it listens and answers a first request",
  }),
  fds: descriptorsFlag(
    "file descriptors that each of its processes may have, as its hard limit",
    LEAST_DESCRIPTORS,
  ),
};

/** The keeper on the command line. */
const COMMAND: ServerUsage<typeof params> = {
  name: "command",
  about: "Keeps a server of one's own: starts its command, waits until it listens and answers, and ends it.",
  params,
  details:
    `The command stays in the foreground (nginx: -g 'daemon off;'). What it says on standard output is dropped, what it
says on standard error goes to that of this process. It gets SIGTERM, and SIGKILL a second later, with every process
that it has started.`,
};

await runServer(COMMAND, async ({ values }, lifeline) => {
  const { run, folder, hostname, port, startTimeout, fds } = values;
  if (run === null) throw misuse(COMMAND, "--run is missing: write --run 'PROGRAM ARGUMENT …'");
  if (port === null) throw misuse(COMMAND, "--port is missing: write --port PORT");
  await requireFreePort(hostname, port).catch(refuse);
  lowerDescriptors(fds);
  const startedMs = performance.now();
  const kept = KeptCommand.start({ ...run, folder });
  // Whoever has started this process ends the command, should this one be killed.
  announce({ started: kept.pid });
  let isListening = false;
  let isLost = false;
  const lost = kept.lost.then(async ({ code, signal, goesOn }): Promise<never> => {
    isLost = true;
    const atMs = Date.now();
    await kept.end();
    if (!isListening) console.error(`It ended before it listened on port ${port}, or as soon as it did`);
    if (goesOn && code === 0) {
      console.error("What it had started went on: it must stay in the foreground itself");
    }
    if (isListening) announce({ ended: { code, signal, atMs } });
    Deno.exit(isListening ? code : code || 1);
  });
  try {
    const { signal } = lifeline;
    await waitForListener(hostname, port, { timeoutMs: startTimeout, signal });
    const leftMs = startTimeout - (performance.now() - startedMs);
    await waitForAnswer(hostname, port, { timeoutMs: Math.max(LEAST_ANSWER_MS, leftMs), signal });
  } catch (error) {
    await kept.end();
    if (lifeline.signal.aborted) Deno.exit(0);
    refuse(error);
  }
  // What goes into the background ends as soon as it listens.
  await Promise.race([lost, pause(SETTLE_MS)]);
  if (isLost) await lost;
  isListening = true;
  return { hostname, port, ports: [], pid: kept.pid, close: () => kept.end() };
});

/** Says that it is not the command that ends with a status: whoever has started this process tells the reason alone. */
function refuse(error: unknown): never {
  if (error instanceof CannotRunHereError) announce({ refused: error.message });
  throw error;
}
