import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "../../record/mod.ts";
import {
  type Notebook,
  noteKernel,
  parseNotebook,
  requireDenoKernel,
  serializeNotebook,
  tagsOf,
} from "./nbformat.ts";

const text = (cells: unknown[], more: Record<string, unknown> = {}) =>
  JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5, ...more });
const notebook = (cells: unknown[], more: Record<string, unknown> = {}): Notebook =>
  parseNotebook(text(cells, more), "n");

Deno.test("text is whole in memory and lines in the file, by MIME type", () => {
  const read = notebook([{
    cell_type: "code",
    id: "a",
    metadata: {},
    source: ["let x = 1;\n", "x"],
    execution_count: 3,
    outputs: [
      { output_type: "stream", name: "stdout", text: ["one\n", "two"] },
      {
        output_type: "display_data",
        metadata: {},
        data: {
          "text/html": ["<b>\n", "</b>"],
          "image/svg+xml": "<svg>\n</svg>\n",
          "image/png": "aGVsbG8=\n",
          "application/json": { z: ["a\n", "b"], a: 1 },
        },
      },
    ],
  }]);
  const [cell] = read.cells;
  if (cell?.cell_type !== "code") throw new Error("the cell is no code");
  assertEquals(cell.source, "let x = 1;\nx");
  assertEquals(cell.outputs[0], { output_type: "stream", name: "stdout", text: "one\ntwo" });
  const written = JSON.parse(serializeNotebook(read)).cells[0];
  assertEquals(written.source, ["let x = 1;\n", "x\n"]);
  assertEquals(written.outputs[0].text, ["one\n", "two"]);
  assertEquals(written.outputs[1].data, {
    "text/html": ["<b>\n", "</b>"],
    "image/svg+xml": ["<svg>\n", "</svg>\n"],
    "image/png": "aGVsbG8=\n",
    "application/json": { a: 1, z: ["a\n", "b"] },
  });
});

Deno.test("the file is what Jupyter writes: an indent of one, keys in order, a line break at the end", () => {
  const written = serializeNotebook(notebook([{ source: "", metadata: {}, cell_type: "raw", id: "a" }]));
  assertEquals(
    written,
    `{
 "cells": [
  {
   "cell_type": "raw",
   "id": "a",
   "metadata": {},
   "source": []
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`,
  );
  assertEquals(serializeNotebook(parseNotebook(written, "n")), written);
});

Deno.test("an older minor version is brought to 4.5, and every cell gets an id of its own", () => {
  const cells = ["keep_me", "no good", "keep_me", undefined, "cell-4", "cell-2"].map((id) => ({
    cell_type: "markdown",
    metadata: {},
    source: "",
    id,
  }));
  const read = notebook(cells, { nbformat_minor: 2 });
  assertEquals(read.nbformat_minor, 5);
  assertEquals(read.cells.map(({ id }) => id), [
    "keep_me",
    "cell-2-2",
    "cell-3",
    "cell-4-2",
    "cell-4",
    "cell-2",
  ]);
});

Deno.test("what is not known is kept", () => {
  const cell = {
    cell_type: "markdown",
    id: "a",
    metadata: { x: 1 },
    source: "",
    attachments: { "a.png": {} },
  };
  const written = JSON.parse(serializeNotebook(notebook([cell], { extra: [1], nbformat_minor: 6 })));
  assertEquals(written, {
    cells: [{ ...cell, source: [] }],
    extra: [1],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 6,
  });
});

Deno.test("what cannot be read is refused with the reason", () => {
  const cases: [string, string][] = [
    ["{ nope", "Cannot read notebook a.ipynb as it is not JSON: "],
    ["", "it is not JSON"],
    ["[]", "it is JSON but not a notebook"],
    ['{"nbformat":"4"}', "it is JSON but not a notebook"],
    ['{"nbformat":3,"worksheets":[]}', "its nbformat must be 4: current value is 3"],
    ['{"nbformat":5}', "its nbformat must be 4: current value is 5"],
    ['{"nbformat":4}', "it has no list of cells"],
    [text([1]), "cell 1 is not an object"],
    [text([{ cell_type: "markdown", source: "" }, { source: "" }]), "cell 2 has no cell_type"],
    [text([{ cell_type: "code", source: 1 }]), "cell 1 has no source"],
    [text([{ cell_type: "code", source: "", outputs: {} }]), "cell 1 has outputs that are not a list"],
    [text([{ cell_type: "code", source: "", outputs: [{}] }]), "cell 1 has an output without a type"],
  ];
  for (const [content, why] of cases) assertThrows(() => parseNotebook(content, "a.ipynb"), MisuseError, why);
});

Deno.test("a byte order mark is no reason to refuse a notebook", () => {
  assertEquals(parseNotebook(`\uFEFF${text([])}`, "n").cells, []);
});

Deno.test("a notebook for another kernel is refused with its name", () => {
  const cases: [Record<string, unknown>, string | null][] = [
    [{}, null],
    [{ kernelspec: { name: "deno", display_name: "Deno", language: "typescript" } }, null],
    [{ kernelspec: { name: "deno-canary" } }, null],
    [{ language_info: { name: "typescript" } }, null],
    [{ kernelspec: { name: "python3", display_name: "Python 3" } }, "current value is Python 3 (python3)"],
    [
      { kernelspec: { name: "tslab" }, language_info: { name: "typescript" } },
      "current value is tslab (tslab)",
    ],
    [{ language_info: { name: "python" } }, "current value is a kernel for python"],
  ];
  for (const [metadata, found] of cases) {
    const read = notebook([], { metadata });
    if (found === null) requireDenoKernel(read, "a.ipynb");
    else assertThrows(() => requireDenoKernel(read, "a.ipynb"), MisuseError, found);
  }
});

Deno.test("the kernel's language is noted, the kernel itself where none is named", () => {
  const info = { name: "typescript", version: "6" };
  assertEquals(noteKernel(notebook([]), info).metadata, {
    kernelspec: { display_name: "Deno", language: "typescript", name: "deno" },
    language_info: info,
  });
  const own = { kernelspec: { name: "deno-2" }, language_info: { name: "old" } };
  assertEquals(noteKernel(notebook([], { metadata: own }), info).metadata, { ...own, language_info: info });
});

Deno.test("tags are read with care", () => {
  const tags = (metadata: unknown) =>
    tagsOf(notebook([{ cell_type: "raw", source: "", metadata }]).cells[0]!);
  assertEquals(tags({ tags: ["a", 1, "b"] }), ["a", "b"]);
  assertEquals([tags({ tags: "a" }), tags({}), tags(null)], [[], [], []]);
});
