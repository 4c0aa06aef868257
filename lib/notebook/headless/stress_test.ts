import { assertEquals } from "@std/assert";
import { allGone } from "../../testing/mod.ts";
import { code, notebookOf, PIDS, pidsIn } from "./_notebooks.ts";
import { executeNotebook } from "./execute.ts";
import type { CodeCell, DataOutput, Output } from "./nbformat.ts";

const CELLS = 50;
const KERNELS = 20;

interface Piece {
  readonly source: string;
  readonly expected: readonly Output[];
  readonly mayFail?: boolean;
}

const stdout = (text: string): Output => ({ output_type: "stream", name: "stdout", text });
const stderr = (text: string): Output => ({ output_type: "stream", name: "stderr", text });
const shown = (data: DataOutput["data"]): Output => ({ output_type: "display_data", data, metadata: {} });
const value = (data: DataOutput["data"], count: number): Output => ({
  output_type: "execute_result",
  data,
  metadata: {},
  execution_count: count,
});

/** The kinds of cells: what each shows is known beforehand. Most leave outputs in the kernel's queue as they end. */
const KINDS: readonly ((n: number) => Piece)[] = [
  (n) => ({
    source:
      `console.log("out ${n} a"); console.error("err ${n}"); console.log("out ${n} b"); console.log("out ${n} c");`,
    expected: [stdout(`out ${n} a\n`), stderr(`err ${n}\n`), stdout(`out ${n} b\nout ${n} c\n`)],
  }),
  (n) => ({
    source: `for (let i = 0; i < 200; i++) console.log("${n}:" + i);`,
    expected: [stdout(Array.from({ length: 200 }, (_, i) => `${n}:${i}\n`).join(""))],
  }),
  (n) => ({
    source:
      `console.log("before ${n}"); void Deno.jupyter.display({ "text/html": "<b>${n}</b>" }, { raw: true });`,
    expected: [stdout(`before ${n}\n`), shown({ "text/html": `<b>${n}</b>` })],
  }),
  (n) => ({
    source: `console.log("before ${n}"); Deno.jupyter.md\`# value ${n}\``,
    expected: [stdout(`before ${n}\n`), value({ "text/markdown": `# value ${n}` }, n)],
  }),
  (n) => ({
    source: `for (let i = 0; i <= 20; i++) {
  await Deno.jupyter.display({ "text/plain": "${n} " + i }, { raw: true, display_id: "bar ${n}", update: i > 0 });
}
console.error("bar ${n} is full");`,
    expected: [shown({ "text/plain": `${n} 20` }), stderr(`bar ${n} is full\n`)],
  }),
  (n) => ({
    source: `console.log("cell ${n} fails"); console.error("now"); throw new RangeError("expected ${n}");`,
    expected: [stdout(`cell ${n} fails\n`), stderr("now\n"), {
      output_type: "error",
      ename: "RangeError",
      evalue: `expected ${n}`,
      traceback: [`RangeError: expected ${n}`],
    }],
    mayFail: true,
  }),
  (n) => ({
    source:
      `await Deno.jupyter.display({ "application/json": { n: ${n}, list: [1, 2] }, "text/plain": "json\\n${n}" }, { raw: true });
await Deno.jupyter.display({ "image/svg+xml": "<svg id='${n}'/>" }, { raw: true });`,
    expected: [
      shown({ "application/json": { n, list: [1, 2] }, "text/plain": `json\n${n}` }),
      shown({ "image/svg+xml": `<svg id='${n}'/>` }),
    ],
  }),
  (n) => ({
    source:
      `console.log("gone"); Deno.jupyter.broadcast("clear_output", { wait: true }); console.log("stays ${n}");`,
    expected: [stdout(`stays ${n}\n`)],
  }),
  (n) => ({
    source:
      `await Deno.jupyter.display({ "text/html": "${n} ".repeat(50_000) }, { raw: true }); console.log("big ${n}");`,
    expected: [shown({ "text/html": `${n} `.repeat(50_000) }), stdout(`big ${n}\n`)],
  }),
  (n) => ({
    source: `queueMicrotask(() => console.log("microtask ${n}"));
await new Promise((resolve) => setTimeout(resolve, 1));
console.log("awaited ${n}");`,
    expected: [stdout(`microtask ${n}\nawaited ${n}\n`)],
  }),
];

/** An output without what differs between versions of the kernel: the stack of an error. */
function comparable(output: Output): Output {
  return output.output_type === "error" ? { ...output, traceback: output.traceback.slice(0, 1) } : output;
}

Deno.test(`${CELLS} cells in each of ${KERNELS} kernels: every output in its cell, in its order`, async () => {
  const pieces = Array.from({ length: CELLS - 1 }, (_, at) => KINDS[at % KINDS.length]!(at + 2));
  const cells = pieces.map(({ source, mayFail }) => code(source, mayFail ? ["raises-exception"] : []));
  const notebook = notebookOf([code(PIDS), ...cells]);
  const pids: number[] = [];
  for (let kernel = 1; kernel <= KERNELS; kernel++) {
    const execution = await executeNotebook(notebook, { cwd: "." });
    assertEquals([execution.status, execution.failure], ["complete", null], `kernel ${kernel}`);
    const [first, ...rest] = execution.notebook.cells as CodeCell[];
    for (const [at, cell] of rest.entries()) {
      assertEquals(cell.outputs.map(comparable), pieces[at]!.expected, `kernel ${kernel}, cell ${at + 2}`);
      assertEquals(cell.execution_count, at + 2);
    }
    pids.push(...pidsIn(first));
  }
  assertEquals(new Set(pids).size, 2 * KERNELS);
  await allGone(pids);
});
