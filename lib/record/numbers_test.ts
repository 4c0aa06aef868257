import { assertEquals } from "@std/assert";
import { isNumbersPath, MAX_NUMBERS_BYTES, parseNumbers } from "./numbers.ts";

Deno.test("a path is told from numbers and from a process", () => {
  for (const path of ["gaps.csv", "./5", "/tmp/gaps", "C:\\gaps.csv", "poisson", "a:b", "5/gaps.csv"]) {
    assertEquals(isNumbersPath(path), true, path);
  }
  for (const text of ["1", "0.5, 2,1e3", "1\n2\n", "poisson:0.2", "poisson:-1", "poisson:x", "-1", ""]) {
    assertEquals(isNumbersPath(text), false, text);
  }
});

Deno.test("parseNumbers() reads a list, and a column with a name or without", () => {
  for (const text of ["0.5, 2,10", "0.5\n2\n10\n", "gap in s\r\n0.5\r\n2\r\n10\r\n", ".5\n2.\n1e1"]) {
    assertEquals(parseNumbers(text), { value: [0.5, 2, 10] }, text);
  }
});

Deno.test("parseNumbers() names what is no number", () => {
  for (const [text, wrong] of [["1;2", "1;2"], ["gap\n1\nx\n", "x"], ["1,2s", "2s"]] as const) {
    assertEquals(parseNumbers(text), {
      must: `numbers, separated by commas or one a line: there is ${wrong}`,
    });
  }
  for (const text of ["gap\n", "", " \n\n"]) {
    assertEquals(parseNumbers(text), { must: "at least one number" });
  }
});

Deno.test("parseNumbers() takes no table of several columns for one", () => {
  for (const text of ["at,gap\n1,2\n", "1,2\n3,4\n", "gap,\n1,\n"]) {
    assertEquals(parseNumbers(text), {
      must: "one column of numbers, or one line of them, separated by commas",
    });
  }
});

Deno.test("parseNumbers() refuses a text that may have been cut", () => {
  assertEquals(parseNumbers("1\n".repeat(MAX_NUMBERS_BYTES)), { must: "numbers in at most 1 MiB" });
});
