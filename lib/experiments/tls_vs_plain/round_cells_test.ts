import { assertEquals } from "@std/assert";
import type { ServerCount } from "../_shared/subject.ts";
import { protocolCells, tlsCells } from "./round_cells.ts";

const COUNTED: ServerCount = {
  ...{ connections: 3, by: "events", protocols: ["h2"], active: 0 },
  handshakes: { full: 1, resumed: 2, versions: ["TLSv1.3"] },
};

Deno.test("protocolCells() takes the server's word, then the connections', then what the client speaks", () => {
  const exchanges = [{ protocol: null }, { protocol: "http/1.1" }];
  const cells = { server: COUNTED, exchanges, spoken: "http/1.0" };
  assertEquals(protocolCells(cells), { protocol: "h2", protocolReason: null });
  assertEquals(protocolCells({ ...cells, server: null }), { protocol: "http/1.1", protocolReason: null });
  const unseen = { server: null, exchanges: [{ protocol: null }] };
  assertEquals(protocolCells({ ...unseen, spoken: "h2" }), { protocol: "h2", protocolReason: null });
});

Deno.test("protocolCells() names no protocol for a round that had several", () => {
  const server = { ...COUNTED, protocols: ["http/1.1", "h2"] };
  assertEquals(protocolCells({ server, exchanges: [], spoken: "h2" }), {
    protocol: null,
    protocolReason: "Its requests had h2 and http/1.1",
  });
});

Deno.test("tlsCells() gives what the server saw, or why it is not known", () => {
  assertEquals(tlsCells("tls/fetch/resumed", COUNTED), {
    ...{ tlsVersion: "TLSv1.3", tlsVersionReason: null },
    ...{ handshakesFull: 1, handshakesResumed: 2, handshakesReason: null },
  });
  const reasons = (variant: "plain/raw/new" | "tls/raw/new", server: ServerCount | null) => {
    const { tlsVersionReason, handshakesReason, ...counted } = tlsCells(variant, server);
    assertEquals(counted, { tlsVersion: null, handshakesFull: null, handshakesResumed: null });
    return [tlsVersionReason, handshakesReason];
  };
  const blind = { ...COUNTED, handshakes: "It has no such events" };
  assertEquals(reasons("tls/raw/new", blind), ["It has no such events", "It has no such events"]);
  const untold = "Neither client tells, only the lab's own server on node";
  assertEquals(reasons("tls/raw/new", null), [untold, untold]);
  assertEquals(reasons("plain/raw/new", COUNTED), ["It is plain", "There are none on a plain connection"]);
});

Deno.test("tlsCells() names every version that a round had", () => {
  const handshakes = { full: 2, resumed: 0, versions: ["TLSv1.3", "TLSv1.2"] };
  assertEquals(tlsCells("tls/raw/new", { ...COUNTED, handshakes }).tlsVersion, "TLSv1.3 TLSv1.2");
});
