import type { RequestRow, SecondReport, ShardedReport } from "../../load/mod.ts";
import type { RowOf } from "../../record/mod.ts";
import type { MeasureContext } from "../contract.ts";
import type { LoadTables, requestColumns } from "./load_tables.ts";

/** The hundreds of a status that have a column of their own. */
const CLASSES = [2, 3, 4, 5] as const;

/**
 * Records what came of a load.
 *
 * @param variant what the load was
 * @param load what came of it
 * @param context where rows go
 * @param told how many of its seconds were recorded while it went on. @default {0}
 */
export function emitLoad(
  variant: string,
  load: ShardedReport,
  context: Pick<MeasureContext<LoadTables>, "emit">,
  told = 0,
): void {
  const { emit } = context;
  const { sent, unsent, answered, failures, unfinished, fresh, reused, bodyBytes, elapsedMs, lastEndMs } =
    load;
  emit("loads", {
    ...{
      variant,
      sent,
      unsent,
      ...answeredCells(answered),
      unfinished,
      fresh,
      reused,
      bodyBytes,
      elapsedMs,
      lastEndMs,
    },
    ...load.generator,
    failed: failures.reduce((sum, { count }) => sum + count, 0),
  });
  for (const second of load.seconds.slice(told)) emitSecond(variant, second, context);
  for (const { phase, kind, side, count } of failures) {
    emit("failures", { variant, failurePhase: phase, failureKind: kind, failureSide: side, count });
  }
  for (const { index, reason } of load.lost) emit("lost", { variant, shard: index, reason });
}

/**
 * Records a second of a load.
 *
 * @param variant what the load was
 * @param second the second
 * @param context where the row goes
 */
export function emitSecond(
  variant: string,
  { answered, ...second }: SecondReport,
  { emit }: Pick<MeasureContext<LoadTables>, "emit">,
): void {
  emit("seconds", { variant, ...second, ...answeredCells(answered) });
}

/** How many responses there were of each class of status. */
function answeredCells(answered: readonly number[]) {
  const of = (hundreds: number) => answered[hundreds] ?? 0;
  const [answered2xx, answered3xx, answered4xx, answered5xx] = CLASSES.map(of) as [
    ...[number, number],
    ...[number, number],
  ];
  const total = answered.reduce((sum, count) => sum + count, 0);
  const answeredOther = total - answered2xx - answered3xx - answered4xx - answered5xx;
  return { answered2xx, answered3xx, answered4xx, answered5xx, answeredOther };
}

/**
 * A request as a row.
 *
 * @param request the request
 * @returns the row
 */
export function requestCells(
  { phase, failure, side, ...request }: RequestRow,
): RowOf<typeof requestColumns> {
  return { ...request, failurePhase: phase, failureKind: failure, failureSide: side };
}
