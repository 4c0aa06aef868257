import { assertEquals, assertStringIncludes } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { command, type Outcome, outcome, run } from "./_task.ts";

/** What a person of a locale gets who types `deno task lab run lifetime-rotation …`. */
function runIn(locale: string, ...args: string[]): Promise<Outcome> {
  const env = { LANG: locale, LC_ALL: locale };
  return outcome(command(["run", "lifetime-rotation", ...args], env).output());
}

for (const locale of ["tr_TR.UTF-8", "de_DE.UTF-8", "C"]) {
  Deno.test(`a lifetime of 2.5 is 2.5 s, and 2,5 is refused with what is meant, under ${locale}`, async () => {
    using data = new TemporaryFolder();
    const plan = await runIn(locale, "--lifetime", "2.5", "--dry-run", "--json", "--data", data.path);
    assertEquals(JSON.parse(plan.out).params.lifetime, "2500ms", plan.err);
    const { code, out, err } = await runIn(locale, "--lifetime", "2,5", "--data", data.path);
    assertStringIncludes(err, "with a point for decimals (2.5 or 2500ms): current value is 2,5");
    assertEquals({ code, out, names: data.names }, { code: 2, out: "", names: [] });
  });
}

Deno.test("lab run lifetime-rotation measures all parts, or one, and says at which speed", async () => {
  using data = new TemporaryFolder();
  const { params, status, summary, claims, warnings } = await run(
    "lifetime-rotation",
    "--quick",
    "--data",
    data.path,
  );
  assertEquals([status, params.speed], ["complete", 10]);
  assertEquals(warnings.map(({ code }) => code).includes("accelerated"), true);
  const counts = new Map(summary.map(({ name, variant, value }) => [`${name} ${variant}`, value]));
  assertEquals(counts.get("connections shared"), 1);
  for (const variant of ["none/idle", "none/busy"]) {
    assertEquals(counts.get(`timeToMoveMs ${variant}`), null);
    assertEquals(counts.get(`connections ${variant}`), 3);
  }
  // When a request comes is a matter of time: A6 and A15 may be open where this machine was late.
  assertEquals(claims.map(({ id }) => id), ["A5", "A6", "A15"]);
  assertEquals(claims[0]!.verdict, "holds");
  const other = await run("lifetime-rotation", "--part", "shared", "--data", data.path);
  assertEquals(other.claims.map(({ verdict }) => verdict), ["holds", "not measured", "not measured"]);
});
