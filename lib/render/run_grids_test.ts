import { assertEquals } from "@std/assert";
import { type ClaimVerdict, metric } from "../record/mod.ts";
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

Deno.test("runGrids() shows many metrics of one variant as rows", () => {
  const summary = Array.from(
    { length: 12 },
    (_, place) => metric(`m${place}`, { variant: null, value: place, unit: "1" }),
  );
  const [grid] = runGrids({ summary, claims: [], warnings: [] });
  assertEquals([grid!.head, grid!.rows.length, grid!.rows[2]], [["metric", "run"], 12, ["m2", "2"]]);
  const [few] = runGrids({ summary: summary.slice(0, 2), claims: [], warnings: [] });
  assertEquals(few!.head, ["variant", "m0", "m1"]);
});

Deno.test("runGrids() tells in one note what other modes judge", () => {
  const claim = (id: string, reason: string): ClaimVerdict => ({
    ...{ id, stated: "As stated", verdict: "not measured", measured: null, unit: null, reason },
  });
  const claims = [
    claim("B1", "Too few"),
    claim("B2", "Measured by --mode slow"),
    claim("B3", "Measured by --mode slowloris"),
    claim("B9", "Measured by --mode slowloris"),
  ];
  const [grid] = runGrids({ summary: [], claims, warnings: [] });
  assertEquals(grid!.rows.map(([id]) => id), ["B1"]);
  assertEquals(grid!.notes, ["Other modes judge B2 (--mode slow), B3, B9 (--mode slowloris)"]);
});
