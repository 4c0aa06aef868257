import { assertEquals } from "@std/assert";
import * as connlab from "./mod.ts";

Deno.test("a notebook may import these names and no others", () => {
  assertEquals(Object.keys(connlab).sort(), [
    ...["CONDITIONS", "CannotRunHereError", "FAILURES", "MisuseError", "RemediableError", "UNITS"],
    ...[
      "bars",
      "bootstrapMean",
      "bootstrapRatio",
      "choice",
      "claim",
      "column",
      "command",
      "defineExperiment",
    ],
    ...[
      "distribution",
      "duration",
      "failure",
      "flag",
      "groupedPoints",
      "heatmap",
      "integer",
      "lab",
      "lanes",
      "list",
      "metric",
    ],
    ...[
      "number",
      "pem",
      "quantile",
      "randomSource",
      "show",
      "shuffle",
      "stacked",
      "summary",
      "symptoms",
      "text",
      "timeline",
    ],
    ...["url"],
  ]);
});

Deno.test("the face of the laboratory names its exports one by one", async () => {
  const source = await Deno.readTextFile(new URL(import.meta.resolve("./mod.ts")));
  assertEquals(source.match(/export\s*\*/g), null);
});
