import { stripVTControlCharacters } from "node:util";
import { assert, assertEquals } from "@std/assert";
import { allGone, TemporaryFolder } from "../../testing/mod.ts";
import { code, notebookOf, PIDS, pidsIn } from "./_notebooks.ts";
import { executeNotebook, type Execution, type NotebookOptions } from "./execute.ts";
import type { CodeCell, JsonObject } from "./nbformat.ts";

interface Run extends Execution {
  /** The code cells behind the first, which shows the processes. */
  readonly cells: readonly CodeCell[];
}

/** Executes cells, and makes sure that no process is left of their kernel. */
async function run(
  cells: readonly CodeCell[],
  options: Partial<NotebookOptions> & { readonly metadata?: JsonObject } = {},
): Promise<Run> {
  const { metadata, ...rest } = options;
  const execution = await executeNotebook(notebookOf([code(PIDS), ...cells], metadata), {
    cwd: ".",
    ...rest,
  });
  const pids = pidsIn(execution.notebook.cells[0]);
  assertEquals(pids.length, 2);
  await allGone(pids);
  return { ...execution, cells: execution.notebook.cells.slice(1) as CodeCell[] };
}

/** What a cell shows, in short and without colours, which depend on the environment. */
function brief({ outputs }: CodeCell): string[] {
  return outputs.map((output) => {
    if (output.output_type === "stream") return `${output.name}: ${output.text}`;
    if (output.output_type === "error") return `error: ${output.ename}: ${output.evalue}`;
    return `${output.output_type}: ${stripVTControlCharacters(Object.values(output.data).join())}`;
  });
}

Deno.test("five cells are executed in order, in one kernel, and say what they show", async () => {
  const progress: string[] = [];
  const { status, failure, warnings, notebook, cells } = await run([
    code("let n = 2;\nconsole.log('n is', n);"),
    code("console.error('careful'); n * 21"),
    code("await Deno.jupyter.display({ 'text/html': '<b>bold</b>' }, { raw: true });"),
    code("  \n"),
    code("let n: number = 3; `${n}`"),
  ], { onCell: ({ done, total }) => progress.push(`${done}/${total}`) });
  assertEquals([status, failure, warnings], ["complete", null, []]);
  assertEquals(cells.map(brief), [
    ["stdout: n is 2\n"],
    ["stderr: careful\n", "execute_result: 42"],
    ["display_data: <b>bold</b>"],
    [],
    ['execute_result: "3"'],
  ]);
  assertEquals(cells.map(({ execution_count }) => execution_count), [2, 3, 4, null, 5]);
  assertEquals(progress, ["0/5", "1/5", "2/5", "3/5", "4/5", "5/5"]);
  assertEquals((notebook.metadata.language_info as JsonObject).name, "typescript");
});

Deno.test("a failing cell shows its error behind what it showed, and nothing runs after it", async () => {
  const stale = { ...code("3"), execution_count: 9, outputs: code("").outputs };
  const { status, failure, cells } = await run([
    code("console.log('before'); throw new TypeError('boo');"),
    stale,
  ]);
  assertEquals([status, failure], ["failed", { cell: 2, ename: "TypeError", evalue: "boo" }]);
  assertEquals(cells.map(brief), [["stdout: before\n", "error: TypeError: boo"], []]);
  assertEquals(cells[1]!.execution_count, null);
});

Deno.test("a cell that cannot be parsed fails with the parser's words", async () => {
  const { failure, cells } = await run([code("console.log(1);\nconst = 5;"), code("2")]);
  assertEquals([failure?.ename, failure?.evalue.slice(0, 20)], ["SyntaxError", "Unexpected token `=`"]);
  const [error] = cells[0]!.outputs;
  assert(error?.output_type === "error" && error.traceback.includes("2 | const = 5;"));
  assertEquals(cells[1]!.outputs, []);
});

Deno.test("an error in a timer fails the cell that waits meanwhile", async () => {
  const { failure, cells } = await run([
    code("setTimeout(() => { throw new Error('in a timer'); }); 'set'"),
    code("console.log('waiting'); await new Promise(() => {});"),
    code("3"),
  ]);
  assertEquals([failure?.ename, failure?.evalue], ["Error", "in a timer"]);
  assertEquals(cells.flatMap(brief).filter((line) => line.startsWith("error")), ["error: Error: in a timer"]);
  assertEquals(cells[2]!.outputs, []);
});

Deno.test("a rejection that nobody handles fails the cell that made it", async () => {
  const { failure, cells } = await run([code("Promise.reject('plain'); console.log('on')"), code("2")]);
  assertEquals(failure, { cell: 2, ename: "Error", evalue: '"plain"' });
  assertEquals(cells.map(brief), [["stdout: on\n", 'error: Error: "plain"'], []]);
  const [, error] = cells[0]!.outputs;
  assertEquals(error?.output_type === "error" && error.traceback, ["Uncaught in a promise", '"plain"']);
});

Deno.test("what the last cell leaves behind is waited for, an error of it fails it", async () => {
  const { status, failure, cells } = await run([
    code("1"),
    code("void setTimeout(() => { console.log('late'); throw new Error('late'); }, 0);"),
  ]);
  assertEquals([status, failure], ["failed", { cell: 3, ename: "Error", evalue: "late" }]);
  assertEquals(brief(cells[1]!), ["stdout: late\n", "error: Error: late"]);
});

Deno.test("tags let a cell fail, or pass over it", async () => {
  const kept = code("throw new Error('never run');", ["skip-execution"]);
  kept.outputs = [{ output_type: "stream", name: "stdout", text: "kept\n" }];
  const { status, cells } = await run([
    code("console.log('a'); throw new Error('expected');", ["raises-exception"]),
    code("Promise.reject(new Error('expected too')); 'b'", ["raises-exception"]),
    kept,
    code("'c'"),
  ]);
  assertEquals(status, "complete");
  assertEquals(cells.map(brief), [
    ["stdout: a\n", "error: Error: expected"],
    ['execute_result: "b"', "error: Error: expected too"],
    ["stdout: kept\n"],
    ['execute_result: "c"'],
  ]);
  assertEquals(cells.map(({ execution_count }) => execution_count), [2, 3, null, 4]);
});

Deno.test("a notebook may allow every error", async () => {
  const { status, cells } = await run([code("throw 'a string'"), code("2")], {
    metadata: { execution: { allow_errors: true } },
  });
  assertEquals([status, brief(cells[0]!), cells[1]!.execution_count], [
    "complete",
    ["error: Error: a string"],
    3,
  ]);
});

Deno.test("a cell that ends the kernel fails, whatever the status", async () => {
  const cases: [string, string, string][] = [
    ["Deno.exit(0)", "The kernel ended with status 0 in this cell", "Deno.exit in a cell ends the kernel"],
    ["Deno.kill(Deno.pid, 'SIGKILL'); for (;;);", "The kernel was ended by SIGKILL in this cell", ""],
  ];
  for (const [source, evalue, hint] of cases) {
    const { status, failure, cells } = await run([code("1"), code(source), code("3")]);
    assertEquals([status, failure], ["failed", { cell: 3, ename: "KernelEndedError", evalue }]);
    assertEquals(cells.map(({ outputs }) => outputs.length), [1, 1, 0]);
    const [error] = cells[1]!.outputs;
    assert(error?.output_type === "error" && error.traceback.join().includes(hint));
  }
});

Deno.test("a cell that takes too long fails, whether it waits or is busy", async () => {
  for (const source of ["await new Promise(() => {});", "for (;;);"]) {
    const { status, failure, cells } = await run([code(`console.log('on'); ${source}`), code("2")], {
      timeoutMs: 400,
    });
    assertEquals([status, failure?.ename, failure?.evalue], [
      "failed",
      "TimeoutError",
      "The cell took longer than 0.4 s",
    ]);
    assertEquals(cells.map(brief), [
      ["stdout: on\n", "error: TimeoutError: The cell took longer than 0.4 s"],
      [],
    ]);
  }
});

Deno.test("the notebook's own limit holds where no other is given", async () => {
  const metadata = { execution: { timeout: 0.3 } };
  assertEquals(
    (await run([code("for (;;);")], { metadata })).failure?.evalue,
    "The cell took longer than 0.3 s",
  );
  const long = code("await new Promise((resolve) => setTimeout(resolve, 400)); 1");
  assertEquals((await run([long], { metadata, timeoutMs: 60_000 })).status, "complete");
});

Deno.test("an interruption keeps what was executed", async () => {
  const controller = new AbortController();
  const { status, failure, cells } = await run([code("console.log(1)"), code("for (;;);"), code("3")], {
    signal: controller.signal,
    onCell: ({ done }) => done === 2 && controller.abort(),
  });
  assertEquals([status, failure?.cell, failure?.ename], ["interrupted", 3, "Interrupted"]);
  assertEquals(cells.map(brief), [
    ["stdout: 1\n"],
    ["error: Interrupted: The run was interrupted in this cell"],
    [],
  ]);
});

Deno.test("an interruption before the kernel is there runs nothing", async () => {
  const { status, failure, notebook } = await executeNotebook(notebookOf([code("1")]), {
    cwd: ".",
    signal: AbortSignal.abort(),
  });
  assertEquals([status, failure, (notebook.cells[0] as CodeCell).outputs], ["interrupted", null, []]);
});

Deno.test("a timer that a cell leaves running keeps nothing from ending", async () => {
  const { status, cells } = await run([code("setInterval(() => console.log('tick'), 1); 0"), code("2")]);
  assertEquals([status, cells[1]!.execution_count], ["complete", 3]);
});

Deno.test("a large output is warned of", async () => {
  const { status, warnings } = await run([code("console.log('x'.repeat(1_500_000))"), code("2")]);
  assertEquals([status, warnings.map(({ code, message }) => [code, message])], [
    "complete",
    [["large-output", "Cell 2 has an output of 1.5 MB"]],
  ]);
});

Deno.test("an output that the kernel tears fails the cell: it is never wrong or lost in silence", async () => {
  const size = 16_000_000;
  const { status, failure, cells } = await run([
    code(`await Deno.jupyter.display({ "text/html": "x".repeat(${size}) }, { raw: true });`),
    code("console.log('small')"),
  ]);
  if (status === "failed") assertEquals([failure?.cell, failure?.ename], [2, "KernelStreamError"]);
  else {
    assertEquals(brief(cells[0]!).map((line) => line.length), ["display_data: ".length + size]);
    assertEquals(brief(cells[1]!), ["stdout: small\n"]);
  }
});

Deno.test("relative imports and bare ones are looked for from the notebook's folder", async () => {
  using folder = new TemporaryFolder();
  await Deno.mkdir(`${folder.path}/notebooks`);
  await Deno.writeTextFile(`${folder.path}/deno.json`, `{ "imports": { "inner": "./inner.ts" } }`);
  await Deno.writeTextFile(`${folder.path}/inner.ts`, "export const inner = 'inner';");
  await Deno.writeTextFile(`${folder.path}/notebooks/near.ts`, "export const near = 'near';");
  const { status, cells } = await run([
    code("import { inner } from 'inner'; import { near } from './near.ts'; console.log(inner, near);"),
  ], { cwd: `${folder.path}/notebooks` });
  assertEquals([status, cells.map(brief)], ["complete", [["stdout: inner near\n"]]]);
});
