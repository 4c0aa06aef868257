import process from "node:process";
import { SingleBar } from "cli-progress";
import { printable } from "../render/mod.ts";
import { say } from "./output.ts";

/** A line without a terminal is written at each step of this size. */
const STEP_SHARE = 0.25;

/**
 * The bar is drawn when there is something new. By a timer of its own it would be drawn beside the
 * measurement: that one is put off for as long as a timer can be.
 */
const TIMER_S = 2 ** 31 / 1000 - 1;

/** Chooses the moments of a progress that deserve a line of their own. */
export class ProgressSteps {
  #said = -Infinity;

  /**
   * Takes how far the work is.
   *
   * @param share the work done, of 1
   * @returns whether that deserves a line: a step has been made, or the work is done, or a share that has
   * gone back tells that other work begins
   */
  take(share: number): boolean {
    const begins = share < this.#said;
    const due = begins || share >= this.#said + STEP_SHARE || (share >= 1 && this.#said < 1);
    if (due) this.#said = share;
    return due;
  }
}

/**
 * How far the work is.
 *
 * @param done the work done
 * @param total the work in all; where there is none, all of it is done
 * @returns a share of 1
 */
export function shareOf(done: number, total: number): number {
  return total > 0 ? Math.min(Math.max(done / total, 0), 1) : 1;
}

/** A progress bar on standard error: one line that moves in a terminal, a few plain lines elsewhere. */
export class ProgressBar implements Disposable {
  readonly #terminal = Deno.stderr.isTerminal();
  readonly #bar: SingleBar | null;
  readonly #steps = new ProgressSteps();
  #started = false;

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
        fps: 1 / TIMER_S,
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
    const share = shareOf(done, total);
    if (!this.#bar) return this.#plain(share, text);
    const shown = { text: printable(text) };
    if (!this.#started) this.#bar.start(1, share, shown);
    else this.#bar.update(share, shown);
    this.#bar.render();
    this.#started = true;
  }

  /**
   * Says more of what is being done, where there is a bar.
   *
   * @param text what
   */
  note(text: string): void {
    this.#bar?.update({ text: printable(text) });
    this.#bar?.render();
  }

  /**
   * Writes a line without tearing the bar.
   *
   * @param line the line
   */
  say(line: string): void {
    if (this.#started) process.stderr.write("\r\x1b[K");
    say(line);
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
    if (this.#steps.take(share)) say(`${Math.round(share * 100)} % ${text}`);
  }
}
