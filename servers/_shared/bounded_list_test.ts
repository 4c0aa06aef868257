import { assertEquals } from "@std/assert";
import { BoundedList } from "./bounded_list.ts";

Deno.test("BoundedList keeps the newest in order, and counts the others", () => {
  const list = new BoundedList<number>(3);
  const added: number[] = [];
  for (let item = 0; item < 20; item++) {
    list.add(item);
    added.push(item);
    assertEquals(list.items, added.slice(-3));
    assertEquals(list.dropped, Math.max(0, added.length - 3));
  }
});
