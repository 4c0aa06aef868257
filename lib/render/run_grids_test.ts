import { assertEquals } from "@std/assert";
import { metric } from "../record/mod.ts";
import { runGrids } from "./run_grids.ts";

const none = (name: string, variant: string | null, reason: string) =>
  metric(name, { variant, value: null, unit: "ms", reason });

Deno.test("runGrids() names a reason once for the metrics and variants that share it", () => {
  const summary = [
    none("connectMs", "fetch/new", "Hidden"),
    none("connectMs", "fetch/shared", "Hidden"),
    none("tlsMs", "fetch/new", "Hidden"),
    none("tlsMs", "fetch/shared", "Hidden"),
    none("elapsedMs", "fetch/new", "Failed"),
    metric("elapsedMs", { variant: "fetch/shared", value: 2, unit: "ms" }),
    none("overallMs", null, "Hidden"),
  ];
  const grids = runGrids({ summary, claims: [], warnings: [] });
  assertEquals(grids.map(({ notes }) => notes), [
    ["connectMs, tlsMs fetch/new, fetch/shared: Hidden", "elapsedMs fetch/new: Failed"],
    ["overallMs: Hidden"],
  ]);
});
