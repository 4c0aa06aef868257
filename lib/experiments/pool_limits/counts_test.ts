import { assertEquals } from "@std/assert";
import { connectionsOf } from "./counts.ts";

Deno.test("connections are the relay's flows, else the server's events, the client's count, client ports", () => {
  const counted = (flows: number | null, accepted: number | null, opened: number | null) =>
    connectionsOf({ counts: { accepted, clientPorts: 6 }, opened, flows });
  assertEquals(counted(9, 8, 7), 9);
  assertEquals(counted(null, 8, 7), 8);
  assertEquals(counted(null, 0, 7), 0);
  assertEquals(counted(null, null, 7), 7);
  assertEquals(counted(null, null, null), 6);
});
