import type { SupervisorEvent } from "../harness/mod.ts";
import { durationText, escapeHtml } from "../render/mod.ts";
import { LiveDisplay } from "./display.ts";

/** The progress of a run in a notebook: one output that changes in place. */
export class RunProgress {
  readonly #display = new LiveDisplay();
  #title = "";
  #shown: Promise<void> = Promise.resolve();

  /**
   * Takes what happens in the run.
   *
   * @param event the event
   * @returns settles when it is shown
   */
  take(event: SupervisorEvent): Promise<void> {
    switch (event.type) {
      case "created":
        this.#title = event.plan.title;
        this.#show(0, 1, `starting, at most ${durationText(event.plan.budgetMs)}`);
        break;
      case "progress":
        this.#show(event.done, event.total, event.text);
        break;
      case "finished":
        this.#say(`${event.id} is ${event.status}${event.reason === null ? "" : `: ${event.reason}`}`);
        break;
    }
    return this.#shown;
  }

  #show(done: number, total: number, text: string): void {
    const percent = total > 0 ? Math.floor(100 * done / total) : 100;
    this.#enqueue({
      "text/html": `<progress max="100" value="${percent}"></progress> ${percent} % ${
        escapeHtml(`${this.#title}: ${text}`)
      }`,
      "text/plain": `${percent} % ${this.#title}: ${text}`,
    });
  }

  #say(text: string): void {
    this.#enqueue({ "text/html": escapeHtml(text), "text/plain": text });
  }

  /** One after the other, so that the last word is shown last. */
  #enqueue(bundle: Record<string, string>): void {
    this.#shown = this.#shown.then(() => this.#display.show(bundle));
  }
}
