import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { CannotRunHereError, MisuseError } from "../../record/mod.ts";
import { isAlive, sendSignal } from "../../system/mod.ts";
import { allGone, TemporaryFolder, until } from "../../testing/mod.ts";
import { code, notebookOf } from "./_notebooks.ts";
import { type CodeCell, type Notebook, parseNotebook, serializeNotebook } from "./nbformat.ts";
import type { NotebookEvent } from "./protocol.ts";
import { planJobs, runNotebooks } from "./run_notebooks.ts";

/** A folder with notebooks. */
class Scratch extends TemporaryFolder {
  readonly out = `${this.path}/out`;

  override write(name: string, content: string | Notebook): string {
    return super.write(name, typeof content === "string" ? content : serializeNotebook(content));
  }

  read(name: string): Notebook {
    return parseNotebook(Deno.readTextFileSync(`${this.path}/${name}`), name);
  }
}

const PARAMETERS = code("let requests = 500; // per round\nlet label = 'none';", ["parameters"]);
const SHOW = code("console.log(requests, label);");

/** Writes the ids of the notebook's processes (kernel, guard, runner) into a file, found through `/proc`. */
const pidsInto = (file: string) =>
  code(`const stat = Deno.readTextFileSync("/proc/" + Deno.ppid + "/stat");
const runner = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
Deno.writeTextFileSync(${JSON.stringify(`${file}.part`)}, JSON.stringify([Deno.pid, Deno.ppid, runner]));
Deno.renameSync(${JSON.stringify(`${file}.part`)}, ${JSON.stringify(file)});
console.log("pids");`);

function shownBy(cell: Notebook["cells"][number] | undefined): string {
  const outputs = cell?.cell_type === "code" ? cell.outputs : [];
  return outputs.map((output) =>
    output.output_type === "stream" ? output.text : output.output_type === "error" ? output.ename : "?"
  ).join();
}

async function pidsFrom(scratch: Scratch): Promise<number[]> {
  await until(() => scratch.names.includes("pids"), 20_000);
  return JSON.parse(Deno.readTextFileSync(`${scratch.path}/pids`));
}

Deno.test("a notebook is run with parameters and saved, formatted, in another folder", async () => {
  using scratch = new Scratch();
  const file = scratch.write("a.ipynb", notebookOf([PARAMETERS, SHOW]));
  const source = Deno.readTextFileSync(file);
  const events: NotebookEvent[] = [];
  const outcome = await runNotebooks(
    {
      files: [file],
      outDirectory: `${scratch.out}/deep`,
      texts: { requests: "20" },
      values: { label: "it's" },
    },
    { onEvent: (event) => events.push(event) },
  );
  const path = `${scratch.out}/deep/a.ipynb`;
  assertEquals([outcome.status, outcome.notebooks.map(({ name, path, status }) => [name, path, status])], [
    "complete",
    [[file, path, "complete"]],
  ]);
  assertEquals(
    events.map((event) => event.type === "cell" ? `${event.done}/${event.total}` : event.type),
    ["0/3", "1/3", "2/3", "3/3", "saved", "done"],
  );
  const { cells, metadata } = scratch.read("out/deep/a.ipynb");
  assertEquals(cells[1]!.source, 'let label = "it\'s";\nlet requests = 20;\n');
  assertEquals(shownBy(cells[2]), "20 it's\n");
  const { parameters, exception, end_time } = metadata.papermill as Record<string, unknown>;
  assertEquals([parameters, exception, typeof end_time], [{ requests: 20, label: "it's" }, null, "string"]);
  assertEquals(Deno.readTextFileSync(file), source);
  assertEquals([...Deno.readDirSync(`${scratch.out}/deep`)].map(({ name }) => name), ["a.ipynb"]);
  const check = await new Deno.Command("deno", { args: ["fmt", "--check", path], stderr: "null" }).output();
  assertEquals(check.success, true);
});

Deno.test("what cannot be run as it was put is refused before any cell of any notebook runs", async () => {
  using scratch = new Scratch();
  const good = scratch.write("good.ipynb", notebookOf([PARAMETERS, SHOW]));
  const python = notebookOf([], { kernelspec: { name: "python3", display_name: "Python 3" } });
  const cases: [file: string, texts: Record<string, string>, why: string][] = [
    [good, { request: "5" }, `notebook ${good} has no such parameter: did you mean requests?`],
    [good, { requests: "2,5" }, "with a point for decimals (2.5): current value is 2,5"],
    [scratch.write("broken.ipynb", "{ nope"), {}, "it is not JSON"],
    [scratch.write("old.ipynb", '{"nbformat": 3}'), {}, "its nbformat must be 4: current value is 3"],
    [scratch.write("python.ipynb", python), {}, "must be Deno: current value is Python 3 (python3)"],
    [`${scratch.path}/missing.ipynb`, {}, "there is no such file"],
  ];
  for (const [file, texts, why] of cases) {
    const files = file === good ? [good] : [good, file];
    await assertRejects(() => runNotebooks({ files, outDirectory: scratch.out, texts }), MisuseError, why);
  }
  assertEquals(scratch.names.includes("out"), false);
});

Deno.test("a folder that takes no files is refused before any cell runs", async () => {
  using scratch = new Scratch();
  const file = scratch.write("a.ipynb", notebookOf([SHOW]));
  const error = await assertRejects(
    () => runNotebooks({ files: [file], outDirectory: `${file}/out` }),
    CannotRunHereError,
    `Cannot write to ${file}/out`,
  );
  assertEquals(error.remedy, "Name another folder with --out");
});

Deno.test("a notebook that fails is saved with its error, and the next one runs", async () => {
  using scratch = new Scratch();
  const files = [
    scratch.write("bad.ipynb", notebookOf([code("throw new TypeError('boo');"), code("2")])),
    scratch.write("good.ipynb", notebookOf([code("console.log('good')")])),
  ];
  const { status, notebooks } = await runNotebooks({ files, outDirectory: scratch.out });
  assertEquals([status, notebooks.map(({ status, reason }) => [status, reason])], [
    "failed",
    [["failed", "Cell 1: TypeError: boo"], ["complete", null]],
  ]);
  const bad = scratch.read("out/bad.ipynb");
  assertEquals(bad.cells.map(shownBy), ["TypeError", ""]);
  assertEquals((bad.metadata.papermill as Record<string, unknown>).exception, true);
  assertEquals(shownBy(scratch.read("out/good.ipynb").cells[0]), "good\n");
});

Deno.test("quick takes the notebook's quick values, but for those that are given", async () => {
  using scratch = new Scratch();
  const metadata = { connlab: { quick: { requests: 3, label: "quick" } } };
  const file = scratch.write("a.ipynb", notebookOf([PARAMETERS, SHOW], metadata));
  await runNotebooks({ files: [file], outDirectory: scratch.out, quick: true, texts: { label: "given" } });
  assertEquals(shownBy(scratch.read("out/a.ipynb").cells[2]), "3 given\n");
});

Deno.test("parameters without a parameters cell stand on top, with a warning", async () => {
  using scratch = new Scratch();
  const file = scratch.write("a.ipynb", notebookOf([SHOW]));
  const warnings: string[] = [];
  await runNotebooks({ files: [file], outDirectory: scratch.out, values: { requests: 1, label: "x" } }, {
    onEvent: (event) => event.type === "warning" && warnings.push(event.warning.code),
  });
  assertEquals([warnings, shownBy(scratch.read("out/a.ipynb").cells[1])], [["no-parameters-cell"], "1 x\n"]);
});

Deno.test("in place, the executed form takes the notebook's place", async () => {
  using scratch = new Scratch();
  const file = scratch.write("a.ipynb", notebookOf([code("console.log('here')")]));
  const { notebooks } = await runNotebooks({ files: [file], inPlace: true });
  assertEquals([notebooks[0]?.path, shownBy(scratch.read("a.ipynb").cells[0])], [file, "here\n"]);
  assertEquals(scratch.names, ["a.ipynb"]);
});

Deno.test("an interruption saves what was executed and runs no further notebook", async () => {
  using scratch = new Scratch();
  const files = [
    scratch.write("a.ipynb", notebookOf([pidsInto(`${scratch.path}/pids`), code("for (;;);"), code("3")])),
    scratch.write("b.ipynb", notebookOf([code("1")])),
  ];
  const controller = new AbortController();
  const run = runNotebooks({ files, outDirectory: scratch.out }, {
    signal: controller.signal,
    onEvent: (event) => event.type === "cell" && event.done === 1 && controller.abort(),
  });
  const pids = await pidsFrom(scratch);
  const { status, notebooks } = await run;
  assertEquals([status, notebooks.map(({ status }) => status)], ["interrupted", ["interrupted"]]);
  assertEquals(scratch.read("out/a.ipynb").cells.map(shownBy), ["pids\n", "Interrupted", ""]);
  await allGone(pids);
});

Deno.test("a runner that is killed takes its kernel with it, and leaves what it had saved", async () => {
  using scratch = new Scratch();
  const pause = code("await new Promise((resolve) => setTimeout(resolve, 1100)); console.log('paused');");
  const file = scratch.write(
    "a.ipynb",
    notebookOf([pause, pidsInto(`${scratch.path}/pids`), code("for (;;);")]),
  );
  const run = assertRejects(
    () => runNotebooks({ files: [file], outDirectory: scratch.out }),
    Error,
    `Cannot run ${file} to the end as the runner was ended by SIGKILL`,
  );
  const pids = await pidsFrom(scratch);
  assertEquals([pids.length, pids.every(isAlive)], [3, true]);
  assert(sendSignal(pids[2]!, "SIGKILL"));
  await run;
  await allGone(pids);
  const saved = scratch.read("out/a.ipynb");
  assertEquals(shownBy(saved.cells[0]), "paused\n");
  assertEquals((saved.metadata.papermill as Record<string, unknown>).end_time, null);
});

Deno.test("when whoever asked is killed, what was executed is saved and nothing is left running", async () => {
  using scratch = new Scratch();
  // The ids stand in their file when the second cell runs: the first one has ended by then.
  const busy = code(`${pidsInto(`${scratch.path}/pids`).source}\nfor (;;);`);
  const file = scratch.write("a.ipynb", notebookOf([code("console.log('first')"), busy]));
  const child = new Deno.Command("deno", {
    args: [
      "run",
      "--no-prompt",
      "--allow-read",
      "--allow-run=deno",
      new URL("_run_child.ts", import.meta.url).href,
      file,
      scratch.out,
    ],
    stdin: "null",
  }).spawn();
  const pids = await pidsFrom(scratch);
  child.kill("SIGKILL");
  await child.status;
  await allGone(pids);
  const [first, second] = scratch.read("out/a.ipynb").cells.map(shownBy);
  assertEquals(first, "first\n");
  assertMatch(second ?? "", /Interrupted$/);
});

Deno.test("two runs at the same moment keep apart", async () => {
  using scratch = new Scratch();
  const file = scratch.write("a.ipynb", notebookOf([PARAMETERS, SHOW]));
  const outs = ["one", "two"].map((name) => `${scratch.path}/${name}`);
  await Promise.all(
    outs.map((outDirectory) =>
      runNotebooks({ files: [file], outDirectory, values: { label: outDirectory } })
    ),
  );
  const shown = ["one/a.ipynb", "two/a.ipynb"].map((name) => shownBy(scratch.read(name).cells[2]));
  assertEquals(shown, outs.map((out) => `500 ${out}\n`));
});

Deno.test("a space and a quote in a path are no obstacle, nor is a comma in a notebook's name", async () => {
  using scratch = new Scratch();
  const file = scratch.write("a, b's.ipynb", notebookOf([code("1")]));
  const { status, notebooks } = await runNotebooks({ files: [file], outDirectory: `${scratch.path}/o u't` });
  assertEquals([status, notebooks[0]?.path], ["complete", `${scratch.path}/o u't/a, b's.ipynb`]);
});

Deno.test("a folder with a comma is refused, and not taken for two", async () => {
  using scratch = new Scratch();
  const file = scratch.write("a.ipynb", notebookOf([code("1")]));
  const run = () => runNotebooks({ files: [file], outDirectory: `${scratch.path}/o,/tmp` });
  await assertRejects(run, CannotRunHereError, "cannot hold its comma");
  assertEquals(scratch.names, ["a.ipynb"]);
});

Deno.test("targets are planned: out of the project by default, in place, or where it is said", () => {
  const project = new URL("../../../", import.meta.url).pathname.replace(/\/$/, "");
  const targets = (request: Parameters<typeof planJobs>[0]) =>
    planJobs(request, `${project}/lib`).map(({ source, target }) => [source, target]);
  assertEquals(targets({ files: ["x/a.ipynb"] }), [[`${project}/lib/x/a.ipynb`, `${project}/out/a.ipynb`]]);
  assertEquals(targets({ files: ["/x/a.ipynb"], outDirectory: "o" }), [[
    "/x/a.ipynb",
    `${project}/lib/o/a.ipynb`,
  ]]);
  assertEquals(targets({ files: ["/x/a.ipynb"], inPlace: true }), [["/x/a.ipynb", "/x/a.ipynb"]]);
});

Deno.test("two notebooks for one file, and one over its source, are refused", () => {
  assertThrows(
    () => planJobs({ files: ["a/x.ipynb", "b/x.ipynb"], outDirectory: "/o" }, "/p"),
    MisuseError,
    "Cannot run a/x.ipynb and b/x.ipynb together as both would be saved as x.ipynb",
  );
  assertThrows(
    () => planJobs({ files: ["x.ipynb", "./x.ipynb"], inPlace: true }, "/p"),
    MisuseError,
    "together",
  );
  assertThrows(
    () => planJobs({ files: ["a/x.ipynb"], outDirectory: "a" }, "/p"),
    MisuseError,
    "Cannot run notebook a/x.ipynb as its executed form would replace it: use --inplace",
  );
  assertThrows(() => planJobs({ files: [] }, "/p"), MisuseError, "none is named");
});

Deno.test("cells that were run are numbered as Jupyter numbers them", async () => {
  using scratch = new Scratch();
  const file = scratch.write(
    "a.ipynb",
    notebookOf([code("1"), code(""), code("2", ["skip-execution"]), code("3")]),
  );
  await runNotebooks({ files: [file], outDirectory: scratch.out });
  const counts = (scratch.read("out/a.ipynb").cells as CodeCell[]).map(({ execution_count }) =>
    execution_count
  );
  assertEquals(counts, [1, null, null, 2]);
});
