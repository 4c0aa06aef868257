import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type Json, MisuseError } from "../../record/mod.ts";
import type { Cell, Notebook } from "./nbformat.ts";
import {
  hasParametersCell,
  injectParameters,
  type Parameter,
  readAssignments,
  resolveParameters,
} from "./parameters.ts";

const code = (source: string, tags: string[] = [], id = "c"): Cell => ({
  cell_type: "code",
  id,
  metadata: { tags },
  source,
  execution_count: null,
  outputs: [],
});
const notebookOf = (...cells: Cell[]): Notebook => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
const DECLARING = notebookOf(
  code("let other = 1;"),
  code(
    `let requests = 500; // per round
let label = "x";
let watch = true;
let sizes = [1], map = {};
let run = null;
const fixed = 1;`,
    ["parameters"],
  ),
);

async function resolved(given: Record<string, string>): Promise<Record<string, Json>> {
  const parameters = await resolveParameters(DECLARING, { texts: given }, "n.ipynb");
  return Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
}

Deno.test("assignments are split at the first sign", () => {
  assertEquals(readAssignments(["a=1", "b=", "c=x=y", "a=2"]), { a: "2", b: "", c: "x=y" });
  for (const wrong of ["a", "=1", ""]) {
    assertThrows(() => readAssignments([wrong]), MisuseError, "must be written name=value");
  }
});

Deno.test("text is read as the default's kind asks", async () => {
  assertEquals(
    await resolved({ requests: "20", label: "20", watch: "false", sizes: "[1,2]", map: '{"a":1}' }),
    {
      requests: 20,
      label: "20",
      watch: false,
      sizes: [1, 2],
      map: { a: 1 },
    },
  );
  assertEquals(await resolved({ requests: "1e3", label: '"a\\nb"', run: "latest" }), {
    requests: 1000,
    label: "a\nb",
    run: "latest",
  });
  assertEquals(await resolved({ requests: "null", run: "5", label: "null" }), {
    requests: null,
    run: 5,
    label: "null",
  });
});

Deno.test("a value of another kind is refused, a comma with what was meant", async () => {
  const cases: [Record<string, string>, string][] = [
    [
      { requests: "2,5" },
      "requests as it must be a number, with a point for decimals (2.5): current value is 2,5",
    ],
    [{ requests: "many" }, "requests as it must be a number: current value is many"],
    [{ requests: "" }, "requests as it must be a number: current value is "],
    [{ requests: "1e999" }, "requests as it must be a number: current value is 1e999"],
    [{ watch: "yes" }, "watch as it must be true or false: current value is yes"],
    [{ sizes: "1,2" }, "sizes as it must be a list in JSON, such as [1, 2]: current value is 1,2"],
    [{ map: "[]" }, "map as it must be an object in JSON: current value is []"],
  ];
  for (const [given, why] of cases) await assertRejects(() => resolved(given), MisuseError, why);
});

Deno.test("native values are held against the same kinds", async () => {
  const of = (values: Record<string, Json>) => resolveParameters(DECLARING, { values }, "n.ipynb");
  assertEquals((await of({ requests: 5, run: { id: 1 }, label: null })).map(({ value }) => value), [5, {
    id: 1,
  }, null]);
  await assertRejects(() => of({ requests: "5" }), MisuseError, 'it must be a number: current value is "5"');
  await assertRejects(() => of({ label: 5 }), MisuseError, "it must be text: current value is 5");
});

Deno.test("what is written wins over a value", async () => {
  const given = { values: { requests: 1, watch: false }, texts: { requests: "2" } };
  const parameters = await resolveParameters(DECLARING, given, "n.ipynb");
  assertEquals(parameters.map(({ name, value }) => [name, value]), [["requests", 2], ["watch", false]]);
});

Deno.test("an unknown name is refused, with the nearest", async () => {
  await assertRejects(
    () => resolved({ request: "5" }),
    MisuseError,
    "Cannot use parameter request as notebook n.ipynb has no such parameter: did you mean requests?",
  );
  await assertRejects(
    () => resolved({ zebra: "5" }),
    MisuseError,
    "the parameters are requests, label, watch, sizes, map, run, fixed",
  );
  await assertRejects(() => resolved({ other: "5" }), MisuseError, "no such parameter");
  await assertRejects(
    () => resolveParameters(notebookOf(code("", ["parameters"])), { texts: { a: "1" } }, "n"),
    MisuseError,
    "its cell tagged parameters declares none",
  );
});

Deno.test("a parameters cell that cannot be parsed is refused, where parameters are given", async () => {
  const broken = notebookOf(code("let a = ;", ["parameters"]));
  assertEquals(await resolveParameters(broken, {}, "n.ipynb"), []);
  await assertRejects(
    () => resolveParameters(broken, { texts: { a: "1" } }, "n.ipynb"),
    MisuseError,
    "Cannot read the parameters of notebook n.ipynb as their cell cannot be parsed",
  );
});

Deno.test("without a parameters cell every name that can be declared is taken", async () => {
  const plain = notebookOf(code("1"));
  assertEquals([hasParametersCell(plain), hasParametersCell(DECLARING)], [false, true]);
  assertEquals(await resolveParameters(plain, { texts: { größe: "5", b: "text" } }, "n"), [
    { name: "größe", keyword: "let", value: 5 },
    { name: "b", keyword: "let", value: "text" },
  ]);
  for (const name of ["a-b", "1a", "a; Deno.exit()"]) {
    await assertRejects(() => resolveParameters(plain, { texts: { [name]: "1" } }, "n"), MisuseError);
  }
});

Deno.test("the injected cell stands behind the parameters, in place of an earlier one, or on top", () => {
  const parameters: Parameter[] = [
    { name: "requests", keyword: "let", value: 20 },
    { name: "fixed", keyword: "const", value: ["a", { b: null }] },
  ];
  const source = 'let requests = 20;\nconst fixed = ["a",{"b":null}];';
  const order = (notebook: Notebook) =>
    injectParameters(notebook, parameters).cells.map((cell) =>
      cell.source === source ? `* ${cell.id}` : cell.id
    );
  const [declaring, plain] = [code("let requests = 1;", ["parameters"], "p"), code("1", [], "x")];
  const earlier = code("let requests = 2;", ["injected-parameters"], "i");
  assertEquals(order(notebookOf(plain, declaring, plain)), ["x", "p", "* injected-parameters", "x"]);
  assertEquals(order(notebookOf(declaring, plain, earlier, plain)), ["p", "x", "* i", "x"]);
  assertEquals(order(notebookOf(plain, plain)), ["* injected-parameters", "x", "x"]);
  assertEquals(order(notebookOf(code("", [], "injected-parameters"))), [
    "* injected-parameters-2",
    "injected-parameters",
  ]);
  const injected = injectParameters(notebookOf(declaring), parameters).cells[1]!;
  assertEquals(injected.metadata, { tags: ["injected-parameters"] });
});

Deno.test("without parameters a notebook stays as it is, its injected cell too", () => {
  const notebook = notebookOf(code("let a = 1;", ["injected-parameters"]));
  assertEquals(injectParameters(notebook, []), notebook);
});
