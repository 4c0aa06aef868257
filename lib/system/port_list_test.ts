import { assertEquals, assertThrows } from "@std/assert";
import { countPorts, parsePortList } from "./port_list.ts";

Deno.test("a list of ports is read as the kernel writes it, and said in one way", () => {
  assertEquals(parsePortList(""), []);
  assertEquals(parsePortList("\n"), []);
  assertEquals(parsePortList("8080"), [[8080, 8080]]);
  assertEquals(parsePortList("9000-9100,8080,8079,9050-9200"), [[8079, 8080], [9000, 9200]]);
  assertEquals(parsePortList("0,65535"), [[0, 0], [65_535, 65_535]]);
});

Deno.test("what is no list of ports is refused", () => {
  for (const text of ["x", "8080-", "-8080", "9-8", "65536", "1-70000", "80 81", "1.5"]) {
    assertThrows(() => parsePortList(text), RangeError, `current value is ${text}`);
  }
});

Deno.test("ports of a range are counted without those of a list, wherever these lie", () => {
  const count = (range: readonly [number, number], list: string) => countPorts(range, parsePortList(list));
  assertEquals(count([32_768, 60_999], ""), 28_232);
  assertEquals(count([100, 199], "90-109,150,195-300,400"), 100 - 10 - 1 - 5);
  assertEquals(count([100, 199], "1-65535"), 0);
  assertEquals(count([5, 5], ""), 1);
  assertEquals(count([6, 5], "1-10"), 0);
});
