import { assertEquals } from "@std/assert";
import { Counters, total } from "./counters.ts";

/** A listener that gets to know everything, and one that gets to know requests alone. */
const ALL = { connections: true, handshakes: true };
const NONE = { connections: false, handshakes: false };

Deno.test("Counters numbers clients by address and port, each once", () => {
  const counters = new Counters(NONE);
  assertEquals(counters.meet("127.0.0.1", 50_000), 1);
  assertEquals(counters.meet("127.0.0.1", 50_001), 2);
  assertEquals(counters.meet("127.0.0.2", 50_000), 3);
  assertEquals(counters.meet("127.0.0.1", 50_000), 1);
  assertEquals(counters.clientPorts, 3);
});

Deno.test("Counters follows connections", () => {
  const counters = new Counters(ALL);
  assertEquals([counters.connect(), counters.connect()], [1, 2]);
  counters.disconnect();
  counters.refuse();
  assertEquals([counters.accepted, counters.active, counters.refused], [2, 1, 1]);
});

Deno.test("total adds up, and does not tell what one listener does not", () => {
  const seeing = new Counters(ALL);
  seeing.connect();
  seeing.meet("127.0.0.1", 1);
  for (const protocol of ["http/1.1", "h2", "http/1.1"]) seeing.take(protocol);
  for (const resumed of [false, true, true]) seeing.shakeHands(resumed, "TLSv1.3");
  seeing.inFlight = 2;
  assertEquals(total([seeing, seeing]), {
    requests: 6,
    accepted: 2,
    active: 2,
    refused: 0,
    inFlight: 4,
    clientPorts: 2,
    handshakes: { full: 2, resumed: 4, versions: ["TLSv1.3"] },
    protocols: ["http/1.1", "h2"],
  });
  const { accepted, refused, handshakes } = total([seeing, new Counters(NONE)]);
  assertEquals([accepted, refused, handshakes], [null, null, null]);
  assertEquals(total([]), {
    ...{ requests: 0, accepted: 0, active: 0, refused: 0, inFlight: 0, clientPorts: 0 },
    ...{ handshakes: { full: 0, resumed: 0, versions: [] }, protocols: [] },
  });
});
