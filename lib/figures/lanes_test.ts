import { assert, assertEquals, assertThrows } from "@std/assert";
import { lanes, type Span } from "./lanes.ts";

const x = { label: "Time", unit: "ms" } as const;

const span = (from: number, to: number, state = "a"): Span => ({ from, to, state });

Deno.test("lanes draws a bar a span, in its lane, from where it begins, coloured by its state", () => {
  const { data, layout } = lanes({
    title: "t",
    x,
    lanes: [
      { name: "one", spans: [span(0, 10, "first"), span(10, 25, "second")] },
      { name: "two", spans: [span(5, 12, "first")] },
    ],
  });
  assertEquals(data.map(({ name, y, base, x }) => ({ name, y, base, x })), [
    { name: "first", y: ["one", "two"], base: [0, 5], x: [10, 7] },
    { name: "second", y: ["one"], base: [10], x: [15] },
  ]);
  const colors = data.map(({ marker }) => (marker as { color: string }).color);
  assertEquals(new Set(colors).size, 2);
  const axis = layout.yaxis as { categoryarray: string[]; autorange: string };
  assertEquals([axis.categoryarray, axis.autorange], [["one", "two"], "reversed"]);
});

Deno.test("lanes draws what overlaps side by side, and one after another what does not", () => {
  const { data } = lanes({
    title: "t",
    x,
    lanes: [{ name: "one", spans: [span(10, 20), span(0, 10), span(0, 20), span(1, 5)] }],
  });
  assertEquals(data[0]!.base, [0, 0, 1, 10]);
  assertEquals(data[0]!.width, [0.2667, 0.2667, 0.2667, 0.2667]);
  // The last begins when the first has ended, and takes its place.
  assertEquals(data[0]!.offset, [-0.4, -0.1333, 0.1333, -0.4]);
});

Deno.test("lanes takes no overlap for one that cannot be seen", () => {
  const spans = [span(0, 500.01), span(500, 1000)];
  const { data } = lanes({ title: "t", x, lanes: [{ name: "one", spans }] });
  assertEquals(data[0]!.offset, [-0.4, -0.4]);
});

Deno.test("lanes grows with its lanes as far as a page may, and says which are empty", () => {
  const draw = (count: number) => {
    const many = Array.from({ length: count }, (_, index) => ({ name: `${index}`, spans: [span(0, 1)] }));
    return lanes({ title: "t", x, lanes: [...many, { name: "none", spans: [] }] }).layout;
  };
  assertEquals([1, 20, 1000].map((count) => draw(count).height), [440, 650, 1200]);
  assertEquals((draw(1).title as { subtitle: { text: string } }).subtitle.text, "no values: none");
});

Deno.test("lanes draws at most 4,000 bars, the longest, and says so", () => {
  const spans = Array.from({ length: 150_000 }, (_, index) => span(index, index + 1));
  spans[4321] = span(4321, 199_999);
  const { data, layout } = lanes({ title: "t", x, lanes: [{ name: "one", spans }] });
  const bases = data[0]!.base as number[];
  assertEquals(bases.length, 4000);
  assert(bases.includes(4321));
  assertEquals(
    (layout.title as { subtitle: { text: string } }).subtitle.text,
    "4,000 of 150,000 bars, the longest",
  );
});

Deno.test("lanes never draws an empty figure, nor a span that ends before it begins", () => {
  assertThrows(() => lanes({ title: "t", x, lanes: [] }), RangeError, `"t" as there are no values`);
  assertThrows(() => lanes({ title: "t", x, lanes: [{ name: "a", spans: [] }] }), RangeError, "no values");
  for (const [from, to] of [[2, 1], [NaN, 1], [0, NaN], [-1, 1], [0, Infinity]] as const) {
    assertThrows(
      () => lanes({ title: "t", x, lanes: [{ name: "a", spans: [span(from, to)] }] }),
      RangeError,
      `a span must begin at 0 or later and end no earlier: a has ${from} to ${to}`,
    );
  }
});
