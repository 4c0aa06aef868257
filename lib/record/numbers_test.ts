import { assertEquals } from "@std/assert";
import { isNumbersPath, parseNumbers } from "./numbers.ts";

Deno.test("a path is told from numbers and from a process", () => {
  for (const path of ["gaps.csv", "./5", "/tmp/gaps", "C:\\gaps.csv", "poisson", "a:b"]) {
    assertEquals(isNumbersPath(path), true, path);
  }
  for (const text of ["1", "0.5, 2,1e3", "1\n2\n", "poisson:0.2", "-1", ""]) {
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
  assertEquals(parseNumbers("gap\n"), { must: "at least one number" });
});
