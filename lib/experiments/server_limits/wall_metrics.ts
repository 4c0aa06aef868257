import { type Metric, metric, type RowOf } from "../../record/mod.ts";
import { type ArmView, armViews, crowdMetrics, lastSum, pollsOf, type Sum } from "./arm_view.ts";
import { gaveOutMetrics } from "./gave_out_metrics.ts";
import type { RunTables } from "./mode.ts";
import { type Evidence, type FailedAlike, type GaveOut, sidesOf } from "./sides.ts";
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
 * What was seen of an arm with connections, on all sides.
 *
 * @param view the arm
 * @param cells what the kernel said, where it was asked
 * @returns the evidence
 */
export function evidenceOf(
  { arm, connections }: ArmView,
  cells: Omit<RowOf<Tables["walls"]>, "variant" | "wall"> | null,
): Evidence {
  const { openMs, closedMs, kind, side, phase } = connections;
  const rows = [...kind.keys()];
  const { serverFds = null, serverDescriptors = null } = cells ?? {};
  return {
    failures: rows.filter((row) => kind[row] !== null).map((row): FailedAlike => ({
      ...{ kind: kind[row], side: side[row], connecting: phase[row] === "connect", count: 1 } as FailedAlike,
    })),
    ended: rows.filter((row) => !Number.isNaN(openMs[row]) && !Number.isNaN(closedMs[row])).length,
    serverEnd: arm.serverEnd,
    listenOverflows: cells?.listenOverflows ?? null,
    queued: cells?.queued ?? null,
    serverDescriptorsLeft: serverFds === null || serverDescriptors === null
      ? null
      : serverFds - serverDescriptors,
    ...{ clientCpuShare: null, serverCpuShare: null, machineBusyShare: null },
  };
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
  return wallViews(tables).flatMap(({ view, cells, gaveOut }) => {
    const { variant } = view.arm;
    const { listenOverflows: value } = cells;
    const reason = value === null ? "The system does not tell" : null;
    return [
      ...crowdMetrics(view),
      metric("listenOverflows", { variant, unit: "1", value, reason }),
      ...gaveOutMetrics(variant!, gaveOut),
    ];
  });
}
