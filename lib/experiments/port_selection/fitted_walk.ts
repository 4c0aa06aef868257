import { quantile } from "../../stats/mod.ts";
import type { ArmRows } from "./arm_rows.ts";

/** What a connect takes, as the walk over the ports has it. */
export interface WalkCost {
  /** What it takes beside the walk, in milliseconds. */
  readonly baseMs: number;
  /** What each port that is tried adds, in milliseconds. */
  readonly perTryMs: number;
}

/** Connects that try no more ports than these find one at once. */
const FEW_TRIES = 8;

/** Walks have to be that many times as long as that, for their cost to be told from noise. */
const LONG = 10;

/**
 * What a walk costs, from the connects that hardly walk and those that walk longest: their median times tell it.
 *
 * @param arm an arm
 * @param tries the ports that the model tries for each of its connects
 * @returns the cost; `null` when the arm has no long walks
 */
export function walkCost(arm: ArmRows, tries: Float64Array): WalkCost | null {
  const places = [...arm.results.keys()];
  const longFrom = Math.max(LONG * FEW_TRIES, quantile(tries, 0.75));
  const times = (wanted: (tried: number) => boolean) =>
    places.filter((place) => wanted(tries[place]!)).map((place) => arm.connectMs[place]!);
  const [few, many] = [times((tried) => tried <= FEW_TRIES), times((tried) => tried >= longFrom)];
  if (few.length === 0 || many.length === 0) return null;
  const tried = quantile(tries.filter((one) => one >= longFrom), 0.5);
  const baseMs = quantile(few, 0.5);
  return { baseMs, perTryMs: (quantile(many, 0.5) - baseMs) / tried };
}
