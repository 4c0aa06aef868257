/**
 * Keeps a command of a person's own: starts it in a process group of its own, says where it listens once it does, and
 * ends it with itself. It needs `--allow-run` of that one program and `--allow-ffi` of the C library.
 *
 * @module
 */
import { command, integer, text } from "../lib/record/mod.ts";
import { announce, limitDescriptors } from "../lib/system/mod.ts";
import { KeptCommand } from "./command/kept_command.ts";
import { requireFreePort, waitForListener } from "./command/listener.ts";
import { HOSTNAME, misuse, optional, type ServerUsage } from "./_shared/flags.ts";
import { runServer } from "./_shared/program.ts";

/** Deno has about half as many open by itself. */
const LEAST_DESCRIPTORS = 64;

const params = {
  run: command({ help: "what is started" }),
  folder: optional(text({ default: "", help: "the folder in which it is started" })),
  hostname: { ...HOSTNAME, help: "the address that it listens on" },
  port: optional(integer({ min: 1, max: 65_535, default: 80, help: "the port that it listens on" })),
  fds: optional(
    integer({
      min: LEAST_DESCRIPTORS,
      max: 2 ** 30,
      default: 1024,
      help: "file descriptors that each of its processes may have, as its hard limit",
    }),
  ),
};

/** The keeper on the command line. */
const COMMAND: ServerUsage<typeof params> = {
  name: "command",
  about: "Keeps a server of one's own: starts its command, waits until it listens, and ends it.",
  params,
  details:
    `The command stays in the foreground (nginx: -g 'daemon off;'). What it says on standard output is dropped, what it
says on standard error goes to that of this process. It gets SIGTERM, and SIGKILL a second later, with every process
that it has started.`,
};

await runServer(COMMAND, async ({ values: { run, folder, hostname, port, fds } }, lifeline) => {
  if (run === null) throw misuse(COMMAND, "--run must be given");
  if (port === null) throw misuse(COMMAND, "--port must be given");
  await requireFreePort(hostname, port);
  if (fds !== null) limitDescriptors(fds);
  const kept = KeptCommand.start({ ...run, folder });
  // Whoever has started this process ends the command, should this one be killed.
  announce({ started: kept.pid });
  let isListening = false;
  kept.lost.then(async ({ code, signal }) => {
    await kept.end();
    if (isListening) {
      announce({ ended: { code, signal } });
      Deno.exit(code);
    }
    const hint = code === 0 ? "; it must stay in the foreground" : "";
    console.error(`It ended before it listened on port ${port}${hint}`);
    Deno.exit(code || 1);
  });
  try {
    await waitForListener(hostname, port, lifeline.signal);
  } catch (error) {
    await kept.end();
    if (lifeline.signal.aborted) Deno.exit(0);
    throw error;
  }
  isListening = true;
  return { hostname, port, ports: [], pid: kept.pid, close: () => kept.end() };
});
