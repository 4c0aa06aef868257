import { assertEquals } from "@std/assert";
import { TemporaryFolder } from "../../testing/mod.ts";
import { formatNotebook, syntaxComplaint } from "./format.ts";
import { type Notebook, parseNotebook, serializeNotebook } from "./nbformat.ts";

const NOTEBOOK: Notebook = {
  cells: [
    { cell_type: "markdown", id: "a", metadata: {}, source: "# Title\n* item" },
    {
      cell_type: "code",
      id: "b",
      metadata: {},
      source: "let a   = {b:1}",
      execution_count: null,
      outputs: [],
    },
    { cell_type: "code", id: "c", metadata: {}, source: "const  = 1", execution_count: null, outputs: [] },
    { cell_type: "raw", id: "d", metadata: {}, source: "x   y" },
    { cell_type: "code", id: "e", metadata: {}, source: "", execution_count: null, outputs: [] },
  ],
  metadata: { language_info: { name: "typescript" } },
  nbformat: 4,
  nbformat_minor: 5,
};

Deno.test("cells are formatted as deno fmt does, and one that cannot be parsed stays", async () => {
  const formatted = parseNotebook(await formatNotebook(serializeNotebook(NOTEBOOK), "."), "n");
  assertEquals(formatted.cells.map(({ source }) => source.trimEnd()), [
    "# Title\n\n- item",
    "let a = { b: 1 };",
    "const  = 1",
    "x   y",
    "",
  ]);
});

Deno.test("deno fmt --check takes what is written", async () => {
  using folder = new TemporaryFolder();
  const valid = { ...NOTEBOOK, cells: NOTEBOOK.cells.filter(({ id }) => id !== "c") };
  const text = serializeNotebook(
    parseNotebook(await formatNotebook(serializeNotebook(valid), folder.path), "n"),
  );
  await Deno.writeTextFile(`${folder.path}/n.ipynb`, text);
  const check = () =>
    new Deno.Command("deno", { args: ["fmt", "--check", "n.ipynb"], cwd: folder.path, stderr: "null" })
      .output();
  assertEquals((await check()).success, true);
  await Deno.writeTextFile(`${folder.path}/n.ipynb`, text.replace("let a = {", "let a  = {"));
  assertEquals((await check()).success, false);
});

Deno.test("a cell that cannot be parsed is explained, with the place", async () => {
  assertEquals(await syntaxComplaint("let a = 1;\nconst = 5;"), [
    "SyntaxError: Unexpected token `=`. Expected yield, an identifier, [ or {",
    "  |",
    "2 | const = 5;",
    "  |       ~",
  ]);
  assertEquals(await syntaxComplaint("const   a = 5; await a"), null);
});
