import process from "node:process";
import { SingleBar } from "cli-progress";

/** A line without a terminal is written at each step of this size. */
const STEP_SHARE = 0.25;

/** A progress bar on standard error: one line that moves in a terminal, a few plain lines elsewhere. */
export class ProgressBar implements Disposable {
  readonly #terminal = Deno.stderr.isTerminal();
  readonly #bar: SingleBar | null;
  #started = false;
  #said = -Infinity;

  /** Shows nothing yet. */
  constructor() {
    this.#bar = this.#terminal
      ? new SingleBar({
        format: "{bar} {percentage} % | {text}",
        stream: process.stderr,
        barCompleteChar: "█",
        barIncompleteChar: "░",
        barsize: 30,
        clearOnComplete: true,
        hideCursor: true,
        gracefulExit: false,
      })
      : null;
  }

  /**
   * Shows how far the work is.
   *
   * @param done the work done
   * @param total the work in all
   * @param text what is being done
   */
  update(done: number, total: number, text: string): void {
    if (!this.#bar) return this.#plain(done / total, text);
    if (!this.#started) this.#bar.start(total, done, { text });
    else this.#bar.update(done, { text });
    this.#bar.setTotal(total);
    this.#started = true;
  }

  /**
   * Says more of what is being done, where there is a bar.
   *
   * @param text what
   */
  note(text: string): void {
    this.#bar?.update({ text });
  }

  /**
   * Writes a line without tearing the bar.
   *
   * @param line the line
   */
  say(line: string): void {
    if (this.#started) Deno.stderr.writeSync(new TextEncoder().encode("\r\x1b[K"));
    console.error(line);
  }

  /** Takes the bar away. */
  stop(): void {
    this.#bar?.stop();
    this.#started = false;
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #plain(share: number, text: string): void {
    if (share < 1 && share < this.#said + STEP_SHARE) return;
    if (this.#said >= 1) return;
    this.#said = share;
    console.error(`${Math.round(share * 100)} % ${text}`);
  }
}
