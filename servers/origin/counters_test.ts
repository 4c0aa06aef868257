import { assertEquals } from "@std/assert";
import { Counters, type Counts, total } from "./counters.ts";

/** The counts alone. */
function countsOf({ requests, accepted, active, inFlight, clientPorts }: Counts): Counts {
  return { requests, accepted, active, inFlight, clientPorts };
}

Deno.test("Counters numbers clients by address and port, each once", () => {
  const counters = new Counters(false);
  assertEquals(counters.meet("127.0.0.1", 50_000), 1);
  assertEquals(counters.meet("127.0.0.1", 50_001), 2);
  assertEquals(counters.meet("127.0.0.2", 50_000), 3);
  assertEquals(counters.meet("127.0.0.1", 50_000), 1);
  assertEquals(counters.clientPorts, 3);
});

Deno.test("Counters follows connections", () => {
  const counters = new Counters(true);
  assertEquals([counters.connect(), counters.connect()], [1, 2]);
  counters.disconnect();
  assertEquals([counters.accepted, counters.active], [2, 1]);
});

Deno.test("total adds up, and does not tell what one listener does not", () => {
  const seeing = new Counters(true);
  seeing.connect();
  seeing.meet("127.0.0.1", 1);
  seeing.requests = 5;
  seeing.inFlight = 2;
  assertEquals(countsOf(total([seeing, seeing])), {
    requests: 10,
    accepted: 2,
    active: 2,
    inFlight: 4,
    clientPorts: 2,
  });
  assertEquals(total([seeing, new Counters(false)]).accepted, null);
  assertEquals(countsOf(total([])), { requests: 0, accepted: 0, active: 0, inFlight: 0, clientPorts: 0 });
});
