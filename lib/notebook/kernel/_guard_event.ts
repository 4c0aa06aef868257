import type { Connection } from "./connection.ts";

/** What the guard says, a line each. */
export type GuardEvent =
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "started"; readonly pid: number; readonly connection: Connection }
  | {
    readonly type: "ended";
    readonly code: number;
    readonly signal: string | null;
    readonly stderr: string;
  };
