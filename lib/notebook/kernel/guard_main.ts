/**
 * The kernel's guard: its parent process. The kernel does not look whether anybody still wants it, so this
 * program starts it, waits, and kills it, with the processes that its cells started, when standard input
 * ends: that is, however the program that wanted the kernel died. It says on standard output where the
 * kernel listens and, later, how it ended.
 *
 * Its rights: to start programs (a signal to a group of processes takes the whole right), to write the
 * connection file, and to find free ports on loopback.
 *
 * @module
 */
import { stripVTControlCharacters } from "node:util";
import type { GuardEvent } from "./_guard_event.ts";
import { freeConnection } from "./connection.ts";

/** Of what the kernel writes to standard error only the end is kept: why it died. */
const STDERR_KEPT = 4096;
/** A program that a cell set loose may hold the kernel's standard error open. */
const STDERR_GRACE_MS = 200;

function say(event: GuardEvent): void {
  try {
    console.log(JSON.stringify(event));
  } catch {
    // Nobody listens any more.
  }
}

async function guard(cwd: string, folder: string): Promise<void> {
  const connection = freeConnection();
  const file = `${folder}/connection.json`;
  await Deno.writeTextFile(file, JSON.stringify(connection), { mode: 0o600 });
  const kernel = spawn(file, cwd);
  const kill = () => killGroup(kernel.pid);
  Deno.addSignalListener("SIGTERM", kill);
  untilInputEnds().then(kill);
  say({ type: "started", pid: kernel.pid, connection });
  let stderr = "";
  const read = (async () => {
    for await (const text of kernel.stderr.pipeThrough(new TextDecoderStream())) {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    }
  })();
  const { code, signal } = await kernel.status;
  kill();
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, STDERR_GRACE_MS))]);
  say({ type: "ended", code, signal, stderr: complaint(stderr) });
}

function spawn(connectionFile: string, cwd: string): Deno.ChildProcess {
  return new Deno.Command("deno", {
    args: ["jupyter", "--kernel", "--conn", connectionFile],
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    detached: true,
  }).spawn();
}

/** Kills the kernel and whatever its cells started that has not left its group. */
function killGroup(leader: number): void {
  try {
    Deno.kill(-leader, "SIGKILL");
  } catch {
    // Nothing is left of the group.
  }
}

/** What the kernel complained of: standard error without colours and without what it always says. */
function complaint(stderr: string): string {
  const lines = stripVTControlCharacters(stderr).split("\n");
  return lines.filter((line) => !line.includes('"deno jupyter" is unstable')).join("\n").trim();
}

async function untilInputEnds(): Promise<void> {
  const buffer = new Uint8Array(64);
  while (await Deno.stdin.read(buffer).catch(() => null) !== null);
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir({ prefix: "connlab-kernel-" });
  try {
    await guard(Deno.args[0]!, folder);
  } catch (error) {
    say({ type: "refused", message: error instanceof Error ? error.message : String(error) });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  Deno.exit();
}
