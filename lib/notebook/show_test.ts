import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { column, ColumnTable, type Figure } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { openedRun } from "./_testing.ts";
import { runNotebooks } from "./headless/mod.ts";
import {
  type CodeCell,
  type DataOutput,
  type Output,
  parseNotebook,
  serializeNotebook,
} from "./headless/nbformat.ts";
import { show, type Showable } from "./show.ts";

const BAR: Figure = { data: [{ type: "bar", name: "new", x: ["a"], y: [1] }], layout: { title: "Bars" } };

/** What is printed while something is shown outside of a notebook. */
async function printed(thing: Showable): Promise<string> {
  const lines: unknown[] = [];
  const log = console.log;
  console.log = (line) => lines.push(line);
  try {
    await show(thing);
  } finally {
    console.log = log;
  }
  return lines.join("\n");
}

Deno.test("show() prints a run: what it came to, what articles state, what makes it less sure", async () => {
  using folder = new TemporaryFolder();
  const run = await openedRun(folder.path);
  const metric = { variant: null, unit: "ms", low: null, high: null, reason: null } as const;
  const claim = {
    id: "W1",
    stated: "Waits end",
    verdict: "holds",
    measured: 2,
    unit: "ms",
    reason: null,
  } as const;
  Object.assign(run, {
    summary: [{ ...metric, name: "waitMs", value: 2 }],
    claims: [claim],
    warnings: [{ code: "busy", message: "The machine is busy", remedy: "Wait" }],
  });
  const text = await printed(run);
  assertMatch(text, new RegExp(`^${run.id} \\(complete\\): waitMs\\n`));
  for (const part of ["2 ms", "W1", "Waits end", "holds", "busy", "The machine is busy"]) {
    assert(text.includes(part), `${part} in ${text}`);
  }
});

Deno.test("show() prints a figure in words", async () => {
  assertEquals(await printed(BAR), "Bars\n  new: bar of 1");
});

Deno.test("show() prints the first rows of many, and says how many there are", async () => {
  const rows = Array.from({ length: 30 }, (_, order) => ({ order, variant: order === 0 ? null : "raw/new" }));
  const text = await printed(rows);
  assertEquals(text.split("\n").slice(0, 4), [
    "rows: 30 rows, the first 20",
    "  order  variant",
    "      0",
    "      1  raw/new",
  ]);
  assertEquals(text.split("\n").length, 22);
  assertEquals(await printed(rows.slice(0, 1)), "rows: 1 rows\n  order  variant\n      0");
  assertEquals((await printed([])).split("\n")[0], "rows: 0 rows");
});

Deno.test("show() prints a table, without making objects of all its rows", async () => {
  const table = new ColumnTable("waits", { order: column.count("which"), done: column.flag("whether") });
  for (let order = 0; order < 100; order++) table.addCells([order, order > 1]);
  let taken = 0;
  const rows = table.rows.bind(table);
  table.rows = function* () {
    for (const row of rows()) {
      taken++;
      yield row;
    }
  };
  const text = await printed(table);
  assertEquals(text.split("\n").slice(0, 3), [
    "waits: 100 rows, the first 20",
    "  order  done",
    "      0  false",
  ]);
  assertEquals(taken, 20);
});

const OWN = {
  [Symbol.for("Jupyter.display")]: () => ({ "text/plain": "my own", "text/html": "<b>my own</b>" }),
};

Deno.test("show() prints an object that knows how to display itself, at once or later", async () => {
  assertEquals(await printed(OWN), "my own");
  const later = { [Symbol.for("Jupyter.display")]: () => Promise.resolve({ "text/plain": "later" }) };
  assertEquals(await printed(later), "later");
});

Deno.test("show() refuses everything else, and says what it takes", async () => {
  for (const thing of [undefined, null, 5, "text", {}, { data: [] }, { data: [], layout: null }, () => {}]) {
    await assertRejects(
      () => show(thing as unknown as Showable),
      TypeError,
      "Cannot show this value: show takes a run, a figure ({ data, layout }), rows, or an object with",
    );
  }
});

Deno.test("show() refuses a figure that cannot be drawn, with the place and what to do", async () => {
  const wrong = { data: [BAR.data[0]!, { type: "scattergl", y: [1] }], layout: {} };
  await assertRejects(
    () => show(wrong),
    TypeError,
    "Cannot draw figure as data[1].type is scattergl, of which there is no static picture: use scatter",
  );
  await assertRejects(() => show({ data: [], layout: {} }), TypeError, "it has no trace");
});

/** A folder for a notebook that imports this connlab. */
async function labFolder(): Promise<TemporaryFolder> {
  const folder = new TemporaryFolder();
  const read = (name: string) => Deno.readTextFile(new URL(import.meta.resolve(`../../${name}`)));
  const { imports } = JSON.parse(await read("deno.json"));
  folder.write(
    "deno.json",
    JSON.stringify({ imports: { ...imports, connlab: import.meta.resolve("../mod.ts") } }),
  );
  folder.write("deno.lock", await read("deno.lock"));
  return folder;
}

/** What became of the cells of a notebook. */
interface Shown {
  /** Why it failed; `null` when it is complete. */
  readonly reason: string | null;
  /** The outputs, cell by cell. */
  readonly outputs: readonly (readonly Output[])[];
  /** The text of every display that changed in place. */
  readonly live: readonly string[];
}

/** Runs cells on the real kernel, after one that imports connlab. */
async function runCells(folder: TemporaryFolder, first: string, cells: readonly string[]): Promise<Shown> {
  const sources = [`import { lab, show } from "connlab";\n${first}`, ...cells];
  const file = folder.write(
    "shown.ipynb",
    serializeNotebook({
      cells: sources.map((source, index): CodeCell => ({
        ...{ cell_type: "code", id: `cell-${index}`, source, execution_count: null, outputs: [] },
        metadata: {},
      })),
      ...{ metadata: {}, nbformat: 4, nbformat_minor: 5 },
    }),
  );
  const live: string[] = [];
  const outDirectory = `${folder.path}/out`;
  const { notebooks } = await runNotebooks({ files: [file], outDirectory }, {
    onEvent: (event) => event.type === "live" && live.push(event.text),
  });
  const [{ path, reason }] = notebooks as [typeof notebooks[number]];
  const executed = parseNotebook(await Deno.readTextFile(path!), path!);
  return { reason, outputs: executed.cells.map((cell) => (cell as CodeCell).outputs), live };
}

const GRID = "text/html text/plain";
const FIGURE = "application/vnd.plotly.v1+json image/png text/html text/plain";

function data(output: Output | undefined): DataOutput["data"] {
  return output?.output_type === "display_data" ? output.data : {};
}

/** The kind of every output of a cell. */
function kinds(outputs: readonly Output[]): string[] {
  return outputs.map((output) => {
    if (output.output_type !== "display_data") return output.output_type;
    const text = `${output.data["text/plain"]}`;
    return text.startsWith("plotly.js") ? "loader" : Object.keys(output.data).sort().join(" ");
  });
}

const showFigure = (type: string, more = "") =>
  `await show({ data: [{ type: ${JSON.stringify(type)}, ${more} }], layout: { title: "A ${type}" } });`;
const BARS = showFigure("bar", "y: [1]");
const FUNNEL = showFigure("funnel", `x: [2, 1], y: ["a", "b"]`);

Deno.test("a notebook shows everything that can be shown, each in its cell, and one progress output", async () => {
  using folder = await labFolder();
  const measured = JSON.stringify({ data: folder.path, seed: 1 });
  const { reason, outputs, live } = await runCells(folder, "await lab.ready();", [
    `const run = await lab.run("handshake-cost", { requests: 2, rounds: 2, client: "raw" }, ${measured});`,
    "await show(run);",
    `await show(run.figure("elapsed"));`,
    `await show(run.rows("rounds"));`,
    "await show(run.tables.requests);",
    `await show({ [Symbol.for("Jupyter.display")]: () => ({ "text/markdown": "**mine**" }) });`,
    "const rerun = await lab.load(run.id, { data: " + JSON.stringify(folder.path) +
    " });\nawait show(rerun);",
  ]);
  assertEquals(reason, null);
  assertEquals(outputs.map(kinds), [
    ["loader"],
    [GRID],
    [GRID],
    [FIGURE],
    [GRID],
    [GRID],
    ["text/markdown"],
    [GRID],
  ]);
  const [, progress, run, figure, rows, requests, , again] = outputs.map(([first]) => data(first));
  const [id] = `${progress!["text/plain"]}`.split(" ");
  assertEquals(progress!["text/plain"], `${id} is complete`);
  assertEquals([live[0]!.startsWith("0 %"), live.at(-1)], [true, `${id} is complete`]);
  assert(live.length > 3, `${live}`);
  assertMatch(`${run!["text/plain"]}`, new RegExp(`^${id} \\(complete\\): `));
  assertMatch(`${run!["text/html"]}`, /<td[^>]*>raw\/new<\/td>/);
  assertMatch(`${figure!["text/plain"]}`, new RegExp(`run ${id}$`));
  assertMatch(`${rows!["text/plain"]}`, /^rows: 4 rows\n/);
  assertMatch(`${requests!["text/plain"]}`, /^requests: 8 rows\n/);
  assertEquals(again, run);
});

Deno.test("a notebook that does not get ready carries each edition of plotly.js once, before its first figure", async () => {
  using folder = await labFolder();
  const { reason, outputs } = await runCells(folder, "", [BARS, BARS, FUNNEL, FUNNEL, BARS]);
  assertEquals(reason, null);
  assertEquals(outputs.map(kinds), [[], ["loader", FIGURE], [FIGURE], ["loader", FIGURE], [FIGURE], [
    FIGURE,
  ]]);
  const [small, full] = [data(outputs[1]![0]), data(outputs[3]![0])].map((one) =>
    `${one["text/html"]}`.length
  );
  assert(full! > 2 * small!, `${full} and ${small}`);
});

Deno.test("a notebook that gets ready for everything carries plotly.js in its first cell alone", async () => {
  using folder = await labFolder();
  const ready = `await lab.ready({ edition: "full" });`;
  const { reason, outputs } = await runCells(folder, ready, [FUNNEL, BARS]);
  assertEquals(reason, null);
  assertEquals(outputs.map(kinds), [["loader"], [FIGURE], [FIGURE]]);
});

Deno.test("a figure that cannot be drawn fails its cell, with the place and what to do, and shows nothing", async () => {
  using folder = await labFolder();
  const { reason, outputs } = await runCells(folder, "", [showFigure("scattergl", "y: [1]"), BARS]);
  assertEquals(
    reason,
    "Cell 2: TypeError: Cannot draw figure as data[0].type is scattergl, of which there is no static picture: " +
      "use scatter with at most 4,000 points",
  );
  assertEquals(outputs.map(kinds), [[], ["error"], []]);
});
