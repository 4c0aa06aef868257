import { addHistograms } from "./time_histogram.ts";
import type { FailureCount, LoadReport, RequestRow, SecondReport } from "./report.ts";

/**
 * Puts the parts of a load together: numbers and histograms are added, rows are put in the order in which they began.
 * A second is counted from when its part began, the times of rows from when the first part did.
 *
 * @param parts the reports of threads or shards, at least one
 * @returns the report of the whole
 * @throws {RangeError} there is no part
 */
export function mergeReports(parts: readonly LoadReport[]): LoadReport {
  if (parts.length === 0) throw new RangeError("Cannot merge reports as there is none");
  const total = (numberOf: (part: LoadReport) => number) => sum(parts.map(numberOf));
  const generators = parts.map(({ generator }) => generator);
  return {
    sent: total(({ sent }) => sent),
    unsent: total(({ unsent }) => unsent),
    answered: added(parts.map(({ answered }) => answered)),
    failures: countedTogether(parts.flatMap(({ failures }) => failures)),
    unfinished: total(({ unfinished }) => unfinished),
    fresh: sumOrNull(parts.map(({ fresh }) => fresh)),
    reused: sumOrNull(parts.map(({ reused }) => reused)),
    bodyBytes: total(({ bodyBytes }) => bodyBytes),
    startMs: firstStartMs(parts),
    elapsedMs: Math.max(...parts.map(({ elapsedMs }) => elapsedMs)),
    lastEndMs: Math.max(...parts.map(({ lastEndMs }) => lastEndMs)),
    seconds: mergedSeconds(parts.map(({ seconds }) => seconds)),
    rows: mergedRows(parts),
    generator: {
      cpuShare: greatestOrNull(generators.map(({ cpuShare }) => cpuShare)),
      waitShare: greatestOrNull(generators.map(({ waitShare }) => waitShare)),
      lateness: addHistograms(generators.map(({ lateness }) => lateness)),
      timerLateness: addHistograms(generators.map(({ timerLateness }) => timerLateness)),
      connections: sumOrNull(generators.map(({ connections }) => connections)),
    },
  };
}

function mergedSeconds(parts: readonly (readonly SecondReport[])[]): SecondReport[] {
  const length = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length }, (_, second) => {
    return mergeSecond(second, parts.flatMap((seconds) => seconds[second] ?? []));
  });
}

/**
 * Puts the parts of one second together.
 *
 * @param second which
 * @param parts what threads or shards tell of it, at least one
 * @returns the second of the whole
 */
export function mergeSecond(second: number, parts: readonly SecondReport[]): SecondReport {
  return {
    second,
    sent: sum(parts.map(({ sent }) => sent)),
    answered: added(parts.map(({ answered }) => answered)),
    failed: sum(parts.map(({ failed }) => failed)),
    bodyBytes: sum(parts.map(({ bodyBytes }) => bodyBytes)),
    service: addHistograms(parts.map(({ service }) => service)),
    response: addHistograms(parts.map(({ response }) => response)),
  };
}

function firstStartMs(parts: readonly LoadReport[]): number {
  return Math.min(...parts.map(({ startMs }) => startMs));
}

function mergedRows(parts: readonly LoadReport[]): RequestRow[] | null {
  const zeroMs = firstStartMs(parts);
  const rows: RequestRow[] = [];
  for (const part of parts) {
    if (part.rows === null) return null;
    const lateMs = part.startMs - zeroMs;
    for (const row of part.rows) rows.push(lateMs === 0 ? row : movedBy(lateMs, row));
  }
  return rows.sort((left, right) => left.startMs - right.startMs);
}

function movedBy(lateMs: number, row: RequestRow): RequestRow {
  return {
    ...row,
    intendedMs: row.intendedMs + lateMs,
    startMs: row.startMs + lateMs,
    endMs: row.endMs === null ? null : row.endMs + lateMs,
  };
}

function countedTogether(failures: readonly FailureCount[]): FailureCount[] {
  const together = new Map<string, FailureCount>();
  for (const failure of failures) {
    const key = `${failure.phase}/${failure.kind}/${failure.side}`;
    const count = failure.count + (together.get(key)?.count ?? 0);
    together.set(key, { ...failure, count });
  }
  return [...together.values()];
}

function added(lists: readonly (readonly number[])[]): number[] {
  const length = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length }, (_, index) => sum(lists.map((list) => list[index] ?? 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** What one part could not tell, the whole cannot. */
function sumOrNull(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((total, number) => total === null || number === null ? null : total + number, 0);
}

function greatestOrNull(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce(
    (most, number) => most === null || number === null ? null : Math.max(most, number),
    0,
  );
}
