import { assert, assertEquals, assertLess, assertThrows } from "@std/assert";
import { type Cell, column, type Row, type TableSchema } from "../record/mod.ts";
import { csvHeader, rowFormatter } from "./csv_format.ts";
import { CsvReader, recordsEnd } from "./csv_reader.ts";
import { CsvError } from "./errors.ts";

const SCHEMA = {
  name: column.text("name"),
  ms: column.ms("ms"),
  count: column.count("count"),
  flag: column.flag("flag"),
};

const HEADER = "name,ms,count,flag\n";

/**
 * Reads text that comes in pieces of a size. The header comes by itself, so that what follows may be read
 * in one pass.
 */
function read(text: string, size = text.length, schema: TableSchema = SCHEMA): Cell[][] {
  const reader = new CsvReader("requests.csv", schema);
  const header = text.indexOf("\n") + 1;
  const rows = reader.push(text.slice(0, header));
  for (let at = header; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)));
  return [...rows, ...reader.end()];
}

const ROWS: Cell[][] = [
  ["raw/new", 0.25, 1, true],
  [null, null, null, null],
  ["", -1.5, -2, false],
  ['"', 0, 0, true],
  ['""', 0, 0, true],
  [",", 1e300, 9007199254740991, false],
  [',"",', 0.0001, 3, null],
  ['a "quoted" word, and more', 1, 4, null],
  ["two\nlines", 2, 5, null],
  ["two\r\nlines", 2, 5, null],
  ["return\ronly", 2, 5, null],
  ["\n", 2, 5, null],
  ["nul\0byte", 3, 6, null],
  ["Größe 😀 漢字", 4, 7, null],
  [" spaces ", 5, 8, null],
  ["\uFEFF", 6, 9, null],
];

function write(rows: readonly Cell[][], schema: TableSchema = SCHEMA): string {
  const format = rowFormatter(schema);
  const names = Object.keys(schema);
  const line = (cells: Cell[]) =>
    format(Object.fromEntries(names.map((name, at) => [name, cells[at]!])) as Row);
  return csvHeader(schema) + rows.map(line).join("");
}

Deno.test("what rowFormatter() writes reads back the same, in pieces of any size", () => {
  const text = write(ROWS);
  for (let size = 1; size <= 40; size++) assertEquals(read(text, size), ROWS, `pieces of ${size}`);
  assertEquals(read(text), ROWS);
});

Deno.test("a table of one column reads back, null, empty text and line feeds included", () => {
  const schema = { text: column.text("text") };
  const rows: Cell[][] = [[null], [""], [null], [null], ["\n"], ["a"], [null]];
  for (const size of [1, 2, 3, 100]) assertEquals(read(write(rows, schema), size, schema), rows);
});

Deno.test("CsvReader takes CRLF, and cells that another program has quoted", () => {
  const text = '"name","ms","count","flag"\r\n"raw/new","0.25","1","true"\r\n"","","",""\r\n';
  assertEquals(read(text), [["raw/new", 0.25, 1, true], ["", null, null, null]]);
});

Deno.test("CsvReader keeps what is not yet a whole record", () => {
  const reader = new CsvReader("requests.csv", SCHEMA);
  assertEquals(reader.push(HEADER + "a,1,1,true\nb,2,2"), [["a", 1, 1, true]]);
  assertEquals(reader.rest, "b,2,2");
  assertEquals(reader.line, 3);
});

Deno.test("CsvReader names file, line and column of what does not fit", () => {
  const cases: [string, number, string][] = [
    [`${HEADER}a,1,1,true\nb,2,2\n`, 3, "a row must have 4 cells: found 3"],
    [`${HEADER}a,1,1,true,\n`, 2, "a row must have 4 cells: found 5"],
    [`${HEADER}a,1,1,true\n\na,1,1,true\n`, 3, "a row must have 4 cells: found 1"],
    [`${HEADER}a,x,1,true\n`, 2, 'column ms must be a number: found "x"'],
    [`${HEADER}a,1,1.5,true\n`, 2, 'column count must be a whole number: found "1.5"'],
    [`${HEADER}a,1,9007199254740992,true\n`, 2, "column count must be a whole number"],
    [`${HEADER}a,1,1,TRUE\n`, 2, 'column flag must be true or false: found "TRUE"'],
    [`${HEADER}"two\nlines",1,1,true\nb,2\n`, 4, "a row must have 4 cells: found 2"],
    ["name,ms,flag,count\n", 1, 'the header must be name,ms,count,flag: found "name,ms,flag,count"'],
    ["a,1,1,true\n", 1, "the header must be"],
    [`${HEADER}a"b"c,1,1,true\n`, 2, "a quote must open and close a whole cell"],
    [`${HEADER}x,1,1,true\n"a"b,1,1,true\n`, 3, "a quote must open and close a whole cell"],
    [`${HEADER}"open,1,1,true\n`, 2, "a quote must open and close a whole cell"],
  ];
  for (const [text, line, problem] of cases) {
    const error = assertThrows(
      () => read(text),
      CsvError,
      `Cannot read requests.csv at line ${line}: ${problem}`,
    );
    assertEquals(error.line, line);
  }
});

Deno.test("CsvReader counts lines across pieces", () => {
  const text = HEADER + '"two\nlines",1,1,true\n'.repeat(3) + "a,1,1,true\n" + "b,x,1,true\n";
  for (const size of [5, 30, 1000]) assertEquals(assertThrows(() => read(text, size), CsvError).line, 9);
});

Deno.test("CsvReader takes numbers as Table Schema writes them, and nothing that Number() alone would take", () => {
  const schema = { ratio: column.ratio("ratio") };
  const readCell = (text: string) => read(`ratio\n${text}\n`, 100, schema)[0]![0];
  for (const text of ["0", "-0.5", "1e-9", "1E+21", "5e3", "007", "1234.5678"]) {
    assertEquals(readCell(text), Number(text));
  }
  for (
    const text of [
      " 5",
      "5 ",
      "0x10",
      "0b1",
      "0o7",
      ".5",
      "5.",
      "+5",
      "--5",
      "1_0",
      "Infinity",
      "NaN",
      "-",
      "1e999",
    ]
  ) {
    assertThrows(() => readCell(text), CsvError, "column ratio must be a number", text);
  }
});

Deno.test("plain rows read the same as rows with something special among them", () => {
  const numbers = [
    "0",
    "-0",
    "7",
    "0.1",
    "-12.3456",
    "123456789012345",
    "0.123456789012345",
    "1e21",
    "0.30000000000000004",
  ];
  const plain = HEADER + numbers.map((number) => `x,${number},,\n`).join("");
  const special = `${plain}"",1,1,true\n`;
  assertEquals(read(plain).map((row) => row[1]), numbers.map(Number));
  assertEquals(read(special).slice(0, -1), read(plain));
  assertEquals(Object.is(read(plain)[1]![1], -0), true);
  for (const whole of ["5.0", "-5.00", "1e3"]) {
    const rows = read(`${HEADER}x,,${whole},\n`);
    assertEquals(rows, read(`${HEADER}"x",,${whole},\n`));
    assertEquals(rows[0]![2], Number(whole));
  }
});

Deno.test("CsvReader gives up on a quote that is never closed before it fills the memory", () => {
  const reader = new CsvReader("requests.csv", SCHEMA);
  reader.push(HEADER + '"');
  const piece = "a,1,1,true\n".repeat(100_000);
  let pieces = 0;
  const error = assertThrows(() => {
    for (;; pieces++) reader.push(piece);
  }, CsvError);
  assertEquals(error.problem, "a row is longer than 16 MiB, or a quote is never closed");
  assertLess(pieces, 20);
});

Deno.test("recordsEnd() finds the last line feed outside quotes", () => {
  const text = 'a\n"b\n""c\n"\n"d';
  assertEquals(text.slice(recordsEnd(text)), '"d');
  assertEquals(recordsEnd("abc"), 0);
  assert(recordsEnd('"a\n') === 0);
});
