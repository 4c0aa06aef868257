import {
  describeKernelEnd,
  type Kernel,
  KernelEndedError,
  type KernelError,
  type KernelMessage,
} from "../kernel/mod.ts";
import { syntaxComplaint } from "./format.ts";
import type { CodeCell, ErrorOutput } from "./nbformat.ts";
import { OutputCollector } from "./outputs.ts";
import { BACKGROUND_ERROR } from "./prelude.ts";

/** How {@linkcode CellRunner} treats a cell. */
export interface CellRules {
  /** Whether the cell may end with an error. */
  readonly mayFail: boolean;
  /** How long it may take, in milliseconds; `null` for as long as it likes. */
  readonly timeoutMs: number | null;
}

/** How a cell ended that stops the notebook. */
export interface CellStop {
  /** Whether it failed, or the person interrupted it. */
  readonly status: "failed" | "interrupted";
  /** The error that it shows. */
  readonly error: ErrorOutput;
}

/**
 * A cell that waits for what will never come after an error in the background would wait for ever: it gets
 * this long to end by itself.
 */
const BACKGROUND_GRACE_MS = 1000;

/** Runs cells in a kernel, one after another, and writes into them what became of them. */
export class CellRunner {
  readonly #kernel: Kernel;
  readonly #signal: AbortSignal;
  readonly #collector: OutputCollector;
  #executions = 0;

  /**
   * @param kernel a kernel that has run the prelude
   * @param signal kills the kernel in the middle of a cell
   * @param onLive takes the plain text of a display that changes in place
   */
  constructor(kernel: Kernel, signal: AbortSignal, onLive?: (text: string) => void) {
    this.#collector = new OutputCollector(onLive);
    this.#kernel = kernel;
    this.#signal = signal;
  }

  /**
   * Runs a cell.
   *
   * @param cell the cell; gets its outputs and its number
   * @param rules what it may do
   * @returns why the notebook ends here; `null` when it goes on
   */
  async run(cell: CodeCell, rules: CellRules): Promise<CellStop | null> {
    this.#collector.begin(cell);
    cell.execution_count = ++this.#executions;
    return await this.#execute(cell.source, rules);
  }

  /**
   * Lets what the last cell left behind come up: a rejection, a timer that was due. It belongs to that
   * cell.
   *
   * @param rules what the last cell may do
   * @returns why the notebook failed after all; `null` when it did not
   */
  async finish(rules: CellRules): Promise<CellStop | null> {
    return await this.#execute("await new Promise((resolve) => setTimeout(resolve));", rules, true);
  }

  async #execute(code: string, rules: CellRules, silent = false): Promise<CellStop | null> {
    const collector = this.#collector;
    let cause: "timeout" | "interruption" | "background" | null = null;
    let published = false;
    const timers: (() => void)[] = [];
    const kill = (why: typeof cause) => () => {
      cause ??= why;
      void this.#kernel.kill();
    };
    const killLater = (why: typeof cause, afterMs: number) => {
      const timer = setTimeout(kill(why), afterMs);
      timers.push(() => clearTimeout(timer));
    };
    const onMessage = (message: KernelMessage) => {
      if (message.type === "error") published = true;
      if (message.type !== BACKGROUND_ERROR) return collector.take(message);
      collector.take({ ...message, type: "error" });
      if (!rules.mayFail) killLater("background", BACKGROUND_GRACE_MS);
    };
    const interrupt = kill("interruption");
    this.#signal.addEventListener("abort", interrupt);
    if (this.#signal.aborted) interrupt();
    if (rules.timeoutMs !== null) killLater("timeout", rules.timeoutMs);
    try {
      const reply = await this.#kernel.execute(code, { silent, onMessage });
      if (reply.error && !published) collector.fail(await unpublished(code, reply.error));
      return collector.firstError === null || rules.mayFail
        ? null
        : { status: "failed", error: collector.firstError };
    } catch (error) {
      if (cause !== "background") collector.fail(deathOf(error, cause, rules.timeoutMs));
      return {
        status: cause === "interruption" ? "interrupted" : "failed",
        error: collector.firstError!,
      };
    } finally {
      this.#signal.removeEventListener("abort", interrupt);
      for (const clear of timers) clear();
      collector.end();
    }
  }
}

/** The kernel publishes no error when it cannot read a cell, and its reply does not say why. */
async function unpublished(code: string, { ename, evalue, traceback }: KernelError): Promise<ErrorOutput> {
  const complaint = await syntaxComplaint(code);
  if (complaint === null) {
    const hint = "An import that deno.lock or the import map does not know can fail like this";
    return errorOutput(ename, evalue, traceback.length > 0 ? traceback : [`${ename}: ${evalue}`, hint]);
  }
  return errorOutput("SyntaxError", complaint[0]!.replace(/^SyntaxError: /, ""), complaint);
}

/** What a cell shows in whose middle the kernel ended. */
function deathOf(error: unknown, cause: "timeout" | "interruption" | null, timeoutMs: number | null) {
  if (cause === "timeout") {
    return explained("TimeoutError", `The cell took longer than ${timeoutMs! / 1000} s`, [
      "Allow more with --timeout, or with execution.timeout in the metadata of the notebook",
    ]);
  }
  if (cause === "interruption") return explained("Interrupted", "The run was interrupted in this cell", []);
  if (error instanceof KernelEndedError) {
    const { code, stderr } = error.end;
    return explained(error.name, `The kernel ${describeKernelEnd(error.end)} in this cell`, [
      ...(code === 0 ? ["Deno.exit in a cell ends the kernel"] : []),
      ...stderr.split("\n").filter((line) => line !== ""),
    ]);
  }
  const { name, message } = error as Error;
  return explained(name, message, []);
}

function explained(ename: string, evalue: string, more: readonly string[]): ErrorOutput {
  return errorOutput(ename, evalue, [`${ename}: ${evalue}`, ...more]);
}

function errorOutput(ename: string, evalue: string, traceback: readonly string[]): ErrorOutput {
  return { output_type: "error", ename, evalue, traceback: [...traceback] };
}
