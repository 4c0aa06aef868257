import { assertEquals } from "@std/assert";
import type { SocketEntry, SocketState } from "./proc_tcp.ts";
import { countTimeWait, hasLiveConnection } from "./socket_sides.ts";

function entry(localPort: number, peerPort: number, state: SocketState): SocketEntry {
  const end = (port: number) => ({ address: "127.0.0.1", port });
  return { family: "ipv4", local: end(localPort), peer: end(peerPort), state };
}

const SERVERS = new Set([8080, 8081]);

Deno.test("TIME_WAIT belongs to the side whose socket it is", () => {
  const entries = [
    entry(50_000, 8080, "TIME_WAIT"),
    entry(50_001, 8081, "TIME_WAIT"),
    entry(8080, 50_002, "TIME_WAIT"),
    entry(50_003, 8080, "ESTABLISHED"),
    entry(8080, 50_003, "FIN_WAIT2"),
    entry(50_004, 443, "TIME_WAIT"),
  ];
  assertEquals(countTimeWait(entries, SERVERS), { client: 2, server: 1 });
  assertEquals(countTimeWait(entries, new Set([8081])), { client: 1, server: 0 });
  assertEquals(countTimeWait([], SERVERS), { client: 0, server: 0 });
});

Deno.test("TIME_WAIT between two server ports is counted once", () => {
  assertEquals(countTimeWait([entry(8081, 8080, "TIME_WAIT")], SERVERS), { client: 0, server: 1 });
});

Deno.test("a connection is live until it is in TIME_WAIT", () => {
  assertEquals(
    hasLiveConnection([entry(8080, 0, "LISTEN"), entry(50_000, 8080, "TIME_WAIT")], SERVERS),
    false,
  );
  assertEquals(hasLiveConnection([entry(50_000, 443, "ESTABLISHED")], SERVERS), false);
  for (
    const state of ["SYN_SENT", "ESTABLISHED", "FIN_WAIT1", "FIN_WAIT2", "CLOSE_WAIT", "LAST_ACK"] as const
  ) {
    assertEquals(hasLiveConnection([entry(50_000, 8080, state)], SERVERS), true, state);
    assertEquals(hasLiveConnection([entry(8081, 50_000, state)], SERVERS), true, state);
  }
});
