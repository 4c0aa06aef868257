import { failure, type FailureName } from "../../record/mod.ts";
import type { MeasureContext } from "../contract.ts";
import type { Opened } from "./arm_network.ts";
import type { Tables } from "./tables.ts";

/** What a connection is opened for: to be held, or to be closed at once. */
export type Stage = "hold" | "turnover";

/** Tries one after another that failed alike. */
interface Series {
  readonly kind: FailureName;
  readonly order: number;
  readonly startMs: number;
  tries: number;
  lastMs: number;
}

/** Records the tries of an arm: a row a connection, and a row a series that failed alike. */
export class AttemptLog {
  readonly #context: Pick<MeasureContext<Tables>, "emit">;
  readonly #variant: string;
  readonly #stage: Stage;
  #order = 0;
  #series: Series | null = null;

  /**
   * @param context where rows go
   * @param variant the arm
   * @param stage what the connections are for
   */
  constructor(context: Pick<MeasureContext<Tables>, "emit">, variant: string, stage: Stage) {
    this.#context = context;
    this.#variant = variant;
    this.#stage = stage;
  }

  /**
   * Records a connection.
   *
   * @param startMs when the try began
   * @param opened the connection
   */
  opened(startMs: number, { ends }: Pick<Opened, "ends">): void {
    this.end();
    this.#context.emit("attempts", {
      ...{ variant: this.#variant, stage: this.#stage, order: this.#order++, tries: 1 },
      ...{ startMs, lastMs: null, ...ends },
      ...{ failurePhase: null, failureKind: null, failureSide: null },
    });
  }

  /**
   * Records a try that failed.
   *
   * @param startMs when it began
   * @param kind why
   */
  failed(startMs: number, kind: FailureName): void {
    if (this.#series?.kind !== kind) {
      this.end();
      this.#series = { kind, order: this.#order, startMs, tries: 0, lastMs: startMs };
    }
    this.#order++;
    this.#series.tries++;
    this.#series.lastMs = startMs;
  }

  /** Records the series that is under way. */
  end(): void {
    if (this.#series === null) return;
    const { kind, order, tries, startMs, lastMs } = this.#series;
    const { phase, side } = failure("connect", kind);
    this.#series = null;
    this.#context.emit("attempts", {
      ...{ variant: this.#variant, stage: this.#stage, order, tries, startMs, lastMs },
      ...{ source: null, port: null, destination: null },
      ...{ failurePhase: phase, failureKind: kind, failureSide: side },
    });
  }
}
