import type { RowOf } from "../../record/mod.ts";
import { type ArmView, lastLooks } from "./arm_view.ts";
import { type Evidence, type FailedAlike, type GaveOut, sidesOf } from "./sides.ts";
import type { Tables } from "./tables.ts";

/** What the kernel said of an arm of `client-wall`. */
type WallCells = Omit<RowOf<Tables["walls"]>, "variant" | "wall">;

/**
 * What was seen of an arm with connections, on all sides.
 *
 * @param view the arm
 * @param cells what the kernel said at the wall. @default {what it said at the last look while all were held}
 * @returns the evidence
 */
export function evidenceOf(view: ArmView, cells: WallCells | null = null): Evidence {
  const { arm, connections: { openMs, closedMs, kind, side, phase } } = view;
  const rows = [...kind.keys()];
  const seen = cells === null ? seenBy(view) : seenAtWall(cells);
  return {
    failures: rows.filter((row) => kind[row] !== null).map((row): FailedAlike => ({
      ...{ kind: kind[row], side: side[row], connecting: phase[row] === "connect", count: 1 } as FailedAlike,
    })),
    ended: rows.filter((row) => !Number.isNaN(openMs[row]) && !Number.isNaN(closedMs[row])).length,
    serverEnd: arm.serverEnd,
    ...seen,
    ...{ clientCpuShare: null, serverCpuShare: null, machineBusyShare: null },
  };
}

/**
 * Which sides gave out in an arm that was to meet no wall.
 *
 * @param view the arm
 * @param options whether a connection that its server ended counts: not where that is what is measured
 * @returns the sides
 */
export function armSides(view: ArmView, options: { readonly ended: boolean } = { ended: true }): GaveOut[] {
  const evidence = evidenceOf(view);
  return sidesOf(options.ended ? evidence : { ...evidence, ended: 0 });
}

/** What the kernel says of the servers. */
type Seen = Pick<Evidence, "listenOverflows" | "queued" | "serverDescriptorsLeft">;

function seenAtWall({ listenOverflows, queued, serverFds, serverDescriptors }: WallCells): Seen {
  return { listenOverflows, queued, serverDescriptorsLeft: leftOf(serverFds, serverDescriptors) };
}

function seenBy(view: ArmView): Seen {
  const looks = lastLooks(view, "held");
  const left = looks.flatMap(({ descriptors }) => leftOf(view.arm.serverFds, descriptors) ?? []);
  return {
    // It is one count for the whole machine.
    listenOverflows: looks[0]?.listenOverflows ?? null,
    queued: looks.reduce<number | null>(
      (sum, { queued }) => sum === null || queued === null ? null : sum + queued,
      looks.length === 0 ? null : 0,
    ),
    serverDescriptorsLeft: left.length === 0 ? null : Math.min(...left),
  };
}

function leftOf(limit: number | null, taken: number | null): number | null {
  return limit === null || taken === null ? null : limit - taken;
}
