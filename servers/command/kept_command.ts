import { CannotRunHereError, type CommandLine } from "../../lib/record/mod.ts";
import {
  adoptOrphans,
  descendantsOf,
  isAlive,
  pause,
  sendSignal,
  sendSignalToGroup,
} from "../../lib/system/mod.ts";

/** How long the command may take to end when it is asked to, in milliseconds: less than this process itself may. */
const GRACE_MS = 1000;

/** How long its last words may take, in milliseconds: what it has started may keep its standard error open. */
const WORDS_MS = 200;

const POLL_MS = 10;

/** Why a system does not start a program, by the name of Deno's error. */
const UNSTARTED: Readonly<Record<string, string>> = {
  NotFound: "there is no such program, or no such folder to start it in",
  PermissionDenied: "the system does not permit it: it may not be executable",
  NotCapable: "this process may start another one only",
};

/** A person's command, in a process group of its own, and what it has started. */
export class KeptCommand {
  /** The command's process id, and that of its group. */
  readonly pid: number;
  /** Settles when the command has ended that was not told to: how, and whether anything that it has started goes on. */
  readonly lost: Promise<Deno.CommandStatus & { readonly goesOn: boolean }>;
  readonly #child: Deno.ChildProcess;
  readonly #words: Promise<void>;
  #isEnding = false;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.pid = child.pid;
    this.#words = child.stderr.pipeTo(Deno.stderr.writable, { preventClose: true })
      .catch(() => {/* nobody listens any more */});
    this.lost = new Promise((resolve) =>
      child.status.then((status) => this.#isEnding || resolve({ ...status, goesOn: below().some(isAlive) }))
    );
  }

  /**
   * Starts a command.
   *
   * @param command the command
   * @returns it, under way
   * @throws {CannotRunHereError} the system does not start it
   */
  static start({ program, args, folder }: CommandLine): KeptCommand {
    // A process of it that goes into the background, out of its group, stays below this one and is found.
    adoptOrphans();
    try {
      return new KeptCommand(
        new Deno.Command(program, {
          args: [...args],
          ...(folder !== null && { cwd: folder }),
          stdin: "null",
          stdout: "null",
          stderr: "piped",
          detached: true,
        }).spawn(),
      );
    } catch (cause) {
      const { name, message } = cause as Error;
      throw new CannotRunHereError(
        `Cannot start command ${program} as ${UNSTARTED[name] ?? message}`,
        "Try it by hand, in the same folder",
        { cause },
      );
    }
  }

  /** Ends the command and everything that it has started: asks, waits, and kills what does not heed. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#signal("SIGTERM");
    const deadlineMs = performance.now() + GRACE_MS;
    while (this.#isAlive() && performance.now() < deadlineMs) await pause(POLL_MS);
    // What is killed may have started something just before.
    for (let tries = 0; this.#isAlive() && tries < WORDS_MS / POLL_MS; tries++) {
      this.#signal("SIGKILL");
      await pause(POLL_MS);
    }
    await Promise.race([this.#words, pause(WORDS_MS)]);
  }

  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    sendSignalToGroup(this.pid, signal);
    for (const pid of below()) sendSignal(pid, signal);
  }

  #isAlive(): boolean {
    return isAlive(this.pid) || below().some(isAlive);
  }
}

/** What is below this process: all of it is the command's. */
function below(): number[] {
  return Deno.build.os === "linux" ? descendantsOf(Deno.pid) : [];
}
