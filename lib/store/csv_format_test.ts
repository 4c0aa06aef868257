import { assertEquals, assertThrows } from "@std/assert";
import { column, type Row } from "../record/mod.ts";
import { csvHeader, rowFormatter } from "./csv_format.ts";
import { CsvReader } from "./csv_reader.ts";

const SCHEMA = {
  text: column.text("text"),
  flag: column.flag("flag"),
  count: column.count("count"),
  ratio: column.ratio("ratio"),
  ms: column.ms("ms"),
};

const EMPTY: Row = { text: null, flag: null, count: null, ratio: null, ms: null };

/** The row of empty cells with one that is not, as its cell of the line. */
function cell(name: keyof typeof SCHEMA, value: Row[string]): string {
  const line = rowFormatter({ [name]: SCHEMA[name] })({ [name]: value });
  assertEquals(line.at(-1), "\n");
  return line.slice(0, -1);
}

Deno.test("csvHeader() quotes the names that need it", () => {
  assertEquals(csvHeader({ a: SCHEMA.text, "b,c": SCHEMA.ms }), 'a,"b,c"\n');
});

Deno.test("rowFormatter() writes the columns in the order of the schema, whatever the row's", () => {
  const row = { ms: 1, ratio: 0.5, count: 2, flag: true, text: "a" };
  assertEquals(rowFormatter(SCHEMA)(row), "a,true,2,0.5,1\n");
});

Deno.test("rowFormatter() leaves a cell empty for null and for a column that the row lacks", () => {
  assertEquals(rowFormatter(SCHEMA)(EMPTY), ",,,,\n");
  assertEquals(rowFormatter(SCHEMA)({}), ",,,,\n");
});

Deno.test("rowFormatter() quotes text that needs it, and text of no length", () => {
  const cases: [string, string][] = [
    ["plain text", "plain text"],
    ["", '""'],
    ['"', '""""'],
    ["a,b", '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ["two\nlines", '"two\nlines"'],
    ["two\r\nlines", '"two\r\nlines"'],
    ["nul\0byte", "nul\0byte"],
    ["Größe 😀", "Größe 😀"],
  ];
  for (const [value, expected] of cases) assertEquals(cell("text", value), expected);
});

Deno.test("rowFormatter() rounds durations to 0.1 µs, and no other number", () => {
  const durations: [number, string][] = [
    [0, "0"],
    [0.12344, "0.1234"],
    [0.12346, "0.1235"],
    [-1.00009, "-1.0001"],
    [0.00004, "0"],
    [1e-9, "0"],
    [60_800.00001, "60800"],
    [123_456_789.123_45, "123456789.1235"],
    [1e12 + 0.5, "1000000000000.5"],
    [1e300, "1e+300"],
  ];
  for (const [value, expected] of durations) assertEquals(cell("ms", value), expected);
  assertEquals(cell("ratio", 0.1 + 0.2), "0.30000000000000004");
  assertEquals(cell("ratio", 1e-9), "1e-9");
  assertEquals(cell("count", -9007199254740991), "-9007199254740991");
});

Deno.test("rowFormatter() refuses a cell of another type than its column's", () => {
  const cases: [keyof typeof SCHEMA, unknown, string][] = [
    ["text", 5, "column text must be text or null: current value is 5"],
    ["flag", "true", "column flag must be true, false or null"],
    ["count", 1.5, "column count must be a whole number or null: current value is 1.5"],
    ["count", 2 ** 53, "column count must be a whole number"],
    ["ratio", "0.5", "column ratio must be a finite number or null"],
    ["ratio", Infinity, "column ratio must be a finite number or null: current value is Infinity"],
    ["ms", NaN, "column ms must be a finite number or null: current value is NaN"],
  ];
  const format = rowFormatter(SCHEMA);
  for (const [name, value, message] of cases) {
    assertThrows(() => format({ ...EMPTY, [name]: value } as Row), TypeError, message);
  }
});

Deno.test("rowFormatter() takes a row that is as long as can be read again, and refuses a longer one", () => {
  const longest = 16 * 2 ** 20;
  const format = rowFormatter({ text: SCHEMA.text });
  for (const character of ["x", "漢"]) {
    const size = new TextEncoder().encode(character).length;
    const characters = Math.floor((longest - 1) / size);
    const line = format({ text: character.repeat(characters) });
    const rows = new CsvReader("text.csv", { text: SCHEMA.text }).push(`text\n${line}`);
    assertEquals([rows.length, String(rows[0]![0]).length], [1, characters]);
    assertThrows(
      () => format({ text: character.repeat(characters + 1) }),
      TypeError,
      "Cannot write row as it must not be longer than 16777216 bytes: it has 1677721",
    );
  }
});

Deno.test("rowFormatter() refuses a column that the table has not", () => {
  assertThrows(
    () => rowFormatter(SCHEMA)({ ...EMPTY, mss: 1 }),
    TypeError,
    "Cannot write row as the table has no column mss: its columns are text, flag, count, ratio, ms",
  );
});
