import { assert, assertEquals, assertThrows } from "@std/assert";
import { view } from "./_made_run.ts";
import experiment from "./mod.ts";

const whole = view();

Deno.test("every figure is drawn, and the model lies over the measurement that follows it", () => {
  const names = (figure: string) => experiment.figures[figure]!(whole).data.map(({ name }) => name);
  assertEquals(names("scatter"), ["plain, even", "plain, odd", "full-range, even", "full-range, odd"]);
  assertEquals(names("humps"), ["plain", "bind-first", "full-range", "udp"]);
  assertEquals(names("attempts"), ["select-test-repeat", "1 ÷ (1 − use)"]);
  assertEquals(names("walk").slice(0, 2), ["plain", "plain, model"]);
  const [measured, model] = experiment.figures.walk!(whole).data.map(({ y }) => y as number[]);
  const apart = measured!.filter((ms, slice) => Math.abs(ms / model![slice]! - 1) > 0.15);
  // Where the range tips over, one slice may lie on either side.
  assert(apart.length <= 2, `${apart.length} of ${measured!.length}`);
});

Deno.test("the table of strategies has what is stated beside what was measured", () => {
  const { layout } = experiment.figures.strategies!(whole);
  const texts = (layout.annotations as { x: string; y: string; text: string }[])
    .filter(({ y }) => y === "plain").map(({ x, text }) => `${x} ${text}`);
  assert(texts.includes("odd, stated 4.59") && texts.includes("failed 0"), texts.join());
});

Deno.test("figures of a run that has few strategies, or failed before its first row, say what is missing", () => {
  const alone = view({ given: { strategies: "udp", compare: "none" } });
  assertEquals(experiment.figures.scatter!(alone).data.map(({ name }) => name), ["udp, even", "udp, odd"]);
  for (const name of ["attempts", "walk"]) {
    assertThrows(() => experiment.figures[name]!(alone), RangeError, "there are no values");
  }
  const none = view({ connects: () => null, arms: () => null });
  for (const draw of Object.values(experiment.figures)) assertThrows(() => draw(none), RangeError);
});
