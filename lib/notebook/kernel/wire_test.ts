import { assertEquals, assertThrows } from "@std/assert";
import { decodeMessage, encodeRequest } from "./wire.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const REQUEST = {
  id: "m1",
  type: "execute_request",
  session: "s1",
  date: "2026-01-02T03:04:05.000Z",
  content: { code: "1 + 1 // é", silent: false },
};

Deno.test("a request has the parts of the wire protocol, signed with HMAC-SHA256", () => {
  const [delimiter, signature, header, parent, metadata, content, ...more] = encodeRequest(REQUEST, "key")
    .map(
      (part) => decoder.decode(part),
    );
  assertEquals(delimiter, "<IDS|MSG>");
  assertEquals(JSON.parse(header!), {
    msg_id: "m1",
    session: "s1",
    username: "connlab",
    date: "2026-01-02T03:04:05.000Z",
    msg_type: "execute_request",
    version: "5.3",
  });
  assertEquals([parent, metadata, JSON.parse(content!), more], ["{}", "{}", REQUEST.content, []]);
  // Computed with Python: hmac.new(b"key", b"".join(parts), "sha256").hexdigest()
  assertEquals(signature, "220911bc3f94a1fc24766a21defef0c4ae9933038400f6aef0c1077767292186");
});

Deno.test("a message is read whatever routing stands before it and buffers behind it", () => {
  const parts = [encoder.encode("stream"), ...encodeRequest(REQUEST, "key"), encoder.encode("buffer")];
  assertEquals(decodeMessage(parts, "key"), {
    id: "m1",
    type: "execute_request",
    parentId: null,
    content: REQUEST.content,
  });
});

Deno.test("a message that was changed anywhere is not trusted", () => {
  for (let at = 1; at < 6; at++) {
    const parts = encodeRequest(REQUEST, "key");
    parts[at] = parts[at]!.slice();
    parts[at]![parts[at]!.length - 1]! ^= 1;
    assertThrows(() => decodeMessage(parts, "key"), Error, "its signature does not match", `part ${at}`);
  }
  assertThrows(
    () => decodeMessage(encodeRequest(REQUEST, "key"), "yek"),
    Error,
    "its signature does not match",
  );
  const short = encodeRequest(REQUEST, "key").with(1, new Uint8Array(0));
  assertThrows(() => decodeMessage(short, "key"), Error, "its signature does not match");
});

Deno.test("what is no message of the protocol is named so", () => {
  const parts = encodeRequest(REQUEST, "key");
  for (const wrong of [[], parts.slice(1), parts.slice(0, 5), [parts[0]!]]) {
    assertThrows(() => decodeMessage(wrong, "key"), Error, "it is not one of the Jupyter protocol");
  }
});
