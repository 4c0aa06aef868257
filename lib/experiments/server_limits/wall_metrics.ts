import { type Metric, metric, type RowOf } from "../../record/mod.ts";
import { type ArmView, armViews, crowdMetrics, lastSum, pollsOf, type Sum } from "./arm_view.ts";
import { evidenceOf } from "./evidence.ts";
import { gaveOutMetrics } from "./gave_out_metrics.ts";
import type { RunTables } from "./mode.ts";
import { type GaveOut, sidesOf } from "./sides.ts";
import type { Tables } from "./tables.ts";
import type { Wall } from "./walls.ts";

/** One arm of `client-wall`, with what the kernel said and what gave out. */
export interface WallView {
  /** Its rows. */
  readonly view: ArmView;
  /** What was to give out. */
  readonly wall: Wall;
  /** What the kernel said. */
  readonly cells: RowOf<Tables["walls"]>;
  /** What gave out. */
  readonly gaveOut: readonly GaveOut[];
}

/**
 * The arms of a run of `client-wall`.
 *
 * @param tables the raw tables
 * @returns the arms, in the order in which they were measured
 */
export function wallViews(tables: RunTables): WallView[] {
  const views = new Map(armViews(tables).map((view) => [view.arm.variant, view]));
  return ([...tables.walls.rows()] as RowOf<Tables["walls"]>[]).flatMap((cells) => {
    const view = views.get(cells.variant);
    if (view === undefined) return [];
    return [{ view, cells, wall: cells.wall as Wall, gaveOut: sidesOf(evidenceOf(view, cells)) }];
  });
}

/**
 * How many connections the server of an arm has, those that look at it not among them: as it says itself, or where
 * its stack does not tell, as the kernel does.
 *
 * @param view the arm
 * @returns the count, or why there is none
 */
export function countedAtServer(view: ArmView): Sum {
  const active = lastSum(view, "held", "active");
  if (active.value !== null) return { value: active.value - pollsOf(view), reason: null };
  return lastSum(view, "held", "atServer");
}

/**
 * The metrics of the mode `client-wall`.
 *
 * @param tables the raw tables
 * @returns those of every arm: its connections, and what each side cost
 */
export function wallMetrics(tables: RunTables): Metric[] {
  const givenUp = armViews(tables).filter(({ arm }) => arm.givenUp !== null);
  const measured = wallViews(tables).flatMap(({ view, cells, gaveOut }) => {
    const { variant } = view.arm;
    const { listenOverflows: value } = cells;
    const reason = value === null ? "The system does not tell" : null;
    return [
      ...crowdMetrics(view, gaveOut),
      metric("listenOverflows", { variant, unit: "1", value, reason }),
      ...gaveOutMetrics(variant!, gaveOut),
    ];
  });
  return [...measured, ...givenUp.flatMap((view) => crowdMetrics(view, []))];
}
