import type { Values } from "./params.ts";
import type { CellRow } from "./cell.ts";
import { outcomeOf } from "./outcome.ts";

/** Parameters as a default run has them, changed. */
export function valuesWith(changes: Partial<Values> = {}): Values {
  return {
    ...{ serverIdle: 5000, clientIdle: 30_000, middleboxIdle: 2000, forget: "reset", stack: "node" },
    ...{ pauses: null, longestPause: 10_000, repeats: 2, timeout: 2000, gaps: { gapsMs: [500, 3000, 8000] } },
    ...changes,
  };
}

/** A pair that was answered twice over one connection, changed. Its outcome is what follows. */
export function cellWith(changes: Partial<CellRow>): CellRow {
  const { pauseMs = 1000 } = changes;
  const cell = {
    ...{ variant: "direct/raw/never/GET", pauseMs, repeat: 1, id: 2, idleMs: pauseMs },
    ...{ firstElapsedMs: 2, firstFailureKind: null, firstReceived: 1, noticed: "none" },
    ...{
      startMs: 0,
      elapsedMs: 1,
      status: 200,
      failurePhase: null,
      failureKind: null,
      failureSide: null,
      labels: null,
    },
    ...{ reused: true, ageMs: pauseMs! + 2, retried: 0, received: 1, forgotten: null },
    ...{ closedBy: null, closedHow: null, outcome: null },
    ...changes,
  };
  const { firstFailureKind, failureKind, reused, retried, received } = cell;
  return {
    ...cell,
    outcome: outcomeOf({ firstFailureKind, failureKind, reused, retried: retried!, received: received! }),
  };
}
