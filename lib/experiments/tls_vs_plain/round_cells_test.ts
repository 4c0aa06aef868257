import { assertEquals } from "@std/assert";
import type { ServerCount } from "../_shared/subject.ts";
import { handshakeCells, protocolCells } from "./round_cells.ts";

const COUNTED: ServerCount = {
  ...{ connections: 3, by: "events", protocols: ["h2"], handshakes: { full: 1, resumed: 2 } },
};

Deno.test("protocolCells() takes the server's word, then the connections', then what the client speaks", () => {
  const exchanges = [{ protocol: null }, { protocol: "http/1.1" }];
  const cells = { server: COUNTED, exchanges, spoken: "http/1.0" };
  assertEquals(protocolCells(cells), { protocol: "h2", protocolReason: null });
  assertEquals(protocolCells({ ...cells, server: null }), { protocol: "http/1.1", protocolReason: null });
  const unseen = { server: { ...COUNTED, protocols: null }, exchanges: [{ protocol: null }] };
  assertEquals(protocolCells({ ...unseen, spoken: "h2" }), { protocol: "h2", protocolReason: null });
});

Deno.test("protocolCells() names no protocol for a round that had several", () => {
  const server = { ...COUNTED, protocols: ["http/1.1", "h2"] };
  assertEquals(protocolCells({ server, exchanges: [], spoken: "h2" }), {
    protocol: null,
    protocolReason: "Its requests had h2 and http/1.1",
  });
});

Deno.test("handshakeCells() gives the server's counts, or why there are none", () => {
  assertEquals(handshakeCells("tls/fetch/resumed", COUNTED), {
    handshakesFull: 1,
    handshakesResumed: 2,
    handshakesReason: null,
  });
  const reason = (variant: "plain/raw/new" | "tls/raw/new", server: ServerCount | null) => {
    const { handshakesFull, handshakesResumed, handshakesReason } = handshakeCells(variant, server);
    assertEquals([handshakesFull, handshakesResumed], [null, null]);
    return handshakesReason;
  };
  assertEquals(
    reason("tls/raw/new", { ...COUNTED, handshakes: "It has no such events" }),
    "It has no such events",
  );
  assertEquals(
    reason("tls/raw/new", null),
    "Only the lab's own server tells full and resumed handshakes apart",
  );
  assertEquals(reason("plain/raw/new", COUNTED), "There are none on a plain connection");
});
