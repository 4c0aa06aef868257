import { RecordingContext } from "../_shared/recording_context.ts";
import { measure } from "./measure.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";

/** Short, and yet with patience for an answer of a busy machine. */
const BUDGET_MS = 1600;

/** The parameters of a short probe. */
export const VALUES: Omit<Values, "target"> = {
  ...{ allowRemote: "", hostHeader: "", ca: null, budget: BUDGET_MS, connections: 8, serverIdle: 1000 },
  stack: "node",
};

/** How long a probe may take that has to end by itself, in milliseconds: a bound for a broken one. */
export const PATIENCE_MS = 9000;

/** What a probe recorded. */
export type Recorded = RecordingContext<typeof tables>;

/** Probes a target. */
export async function probe(target: string, values: Partial<Values> = {}): Promise<Recorded> {
  const recorded = new RecordingContext(tables);
  await measure({ ...VALUES, target, ...values }, recorded.context);
  return recorded;
}

/** How many connections of a role came to each outcome. */
export function outcomes({ rows }: Recorded, role: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows.connections.filter((row) => row.role === role)) {
    const outcome = [row.outcome, row.closedHow].filter((word) => word !== null).join(" ");
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
