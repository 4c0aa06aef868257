import { type EndSignal, sendSignal } from "../system/mod.ts";
import { allGone, family } from "./processes.ts";
import { until } from "./until.ts";

const ROOT = new URL("../..", import.meta.url);

/** The graces of all that does not heed, and as much again for a machine with more to do. */
const BOUND_MS = 25_000;

/** Something that a person has started with `deno task lab`. */
export class StartedLab implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  #pids: readonly number[] = [];

  /**
   * Starts it.
   *
   * @param args the arguments of `lab`
   */
  constructor(args: readonly string[]) {
    this.#child = new Deno.Command("deno", {
      args: ["task", "--quiet", "lab", ...args],
      cwd: ROOT,
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
  }

  /**
   * Waits until it is under way.
   *
   * @param sign what it says on its standard error by then
   * @param processes how many processes it has by then, with its own
   */
  async underWay(sign: string, processes: number): Promise<void> {
    const [shown, rest] = this.#child.stderr.tee();
    for await (const text of shown.pipeThrough(new TextDecoderStream())) if (text.includes(sign)) break;
    rest.pipeTo(new WritableStream());
    this.#pids = await until(() => {
      const pids = [this.#child.pid, ...family(this.#child.pid)];
      return pids.length === processes && pids;
    });
  }

  /**
   * Sends a signal to one of its processes, and waits until none is left.
   *
   * @param signal the signal
   * @param process which one, from 0, the uppermost first
   * @throws {Error} one lives on
   */
  async suffer(signal: EndSignal, process: number): Promise<void> {
    sendSignal(this.#pids[process]!, signal);
    await Promise.all([allGone(this.#pids, BOUND_MS), this.#child.status]);
  }

  /** Ends it, by force. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#pids) sendSignal(pid, "SIGKILL");
    await this.#child.status;
  }
}
