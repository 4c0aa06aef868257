import { assertEquals } from "@std/assert";
import { AcceptRoom } from "./accept_room.ts";

Deno.test("AcceptRoom gives room for as many as may wait, and looks again when that is used up", () => {
  let looks = 0;
  let waiting = 3;
  const room = new AcceptRoom([{ address: "127.0.0.1", port: 1 }], 4, () => {
    looks++;
    return waiting;
  });
  assertEquals([room.take(0), room.take(0), looks], [true, false, 1]);
  waiting = 0;
  assertEquals([room.take(0.5), looks], [false, 1]);
  assertEquals([1, 1, 1, 1, 1].map((nowMs) => room.take(nowMs)), [true, true, true, true, false]);
  assertEquals(looks, 2);
});

Deno.test("AcceptRoom waits for a server that accepts slowly, and not for one that does not accept at all", () => {
  let waiting = 2;
  const room = new AcceptRoom([{ address: "127.0.0.1", port: 1 }], 2, () => waiting);
  assertEquals([0, 999].map((nowMs) => room.take(nowMs)), [false, false]);
  waiting = 3;
  assertEquals([1001, 2000].map((nowMs) => room.take(nowMs)), [false, false]);
  assertEquals([2001, 2001, 2001, 2900].map((nowMs) => room.take(nowMs)), [true, true, false, false]);
  assertEquals([3001, 3001, 3001].map((nowMs) => room.take(nowMs)), [true, true, false]);
});

Deno.test("AcceptRoom counts the queues of all listeners together, and none for less than none", () => {
  const listeners = [{ address: "127.0.0.1", port: 1 }, { address: "127.0.0.1", port: 2 }];
  assertEquals(new AcceptRoom(listeners, 3, () => 1).take(0), true);
  assertEquals(new AcceptRoom(listeners, 2, () => 1).take(0), false);
  assertEquals(new AcceptRoom(listeners, 2, () => 5).take(0), false);
});
