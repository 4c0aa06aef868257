import { assert, assertEquals, assertThrows } from "@std/assert";
import { encodeMessage, ZmtpPeer } from "./zmtp.ts";

const bytes = (...values: (number | string)[]) =>
  new Uint8Array(
    values.flatMap((value) => typeof value === "number" ? [value] : [...new TextEncoder().encode(value)]),
  );
const text = (part: Uint8Array) => new TextDecoder().decode(part);

/** The greeting of ZMTP 3.0 with a version and a mechanism. */
function greeting(major = 3, mechanism = "NULL"): Uint8Array {
  const all = new Uint8Array(64);
  all[0] = 0xff;
  all[9] = 0x7f;
  all[10] = major;
  all.set(bytes(mechanism), 12);
  return all;
}

function readyPeer(type: "DEALER" | "SUB" = "DEALER"): ZmtpPeer {
  const peer = new ZmtpPeer(type);
  peer.receive(greeting());
  peer.receive(bytes(4, 6, 5, "READY"));
  return peer;
}

Deno.test("the opening is the greeting of version 3.0 and READY with the socket's type", () => {
  const opening = new ZmtpPeer("DEALER").opening();
  assertEquals(opening.slice(0, 64), greeting());
  assertEquals(opening[64], 4);
  assertEquals(opening[65], opening.length - 66);
  assertEquals(text(opening.slice(67, 72)), "READY");
  assert(text(opening).includes("Socket-Type\0\0\0\u0006DEALER"));
});

Deno.test("messages are the same however the stream is cut", () => {
  const long = new Uint8Array(70_000).map((_, at) => at % 251);
  const sent = [[bytes("one")], [bytes("a"), new Uint8Array(0), long], [new Uint8Array(256)]];
  const stream = [greeting(), bytes(4, 6, 5, "READY"), ...sent.map(encodeMessage)];
  const whole = new Uint8Array(stream.flatMap((part) => [...part]));
  for (const cut of [1, 2, 3, 7, 64, 65, 1000, 70_000, whole.length]) {
    const peer = new ZmtpPeer("DEALER");
    const got: (readonly Uint8Array[])[] = [];
    for (let at = 0; at < whole.length; at += cut) {
      got.push(...peer.receive(whole.subarray(at, at + cut)).messages);
    }
    assertEquals(
      got.map((message) => message.map((part) => [...part])),
      sent.map((message) => message.map((part) => [...part])),
      `cut into ${cut}`,
    );
  }
});

Deno.test("a part of more than 255 bytes has a length of eight bytes", () => {
  assertEquals([...encodeMessage([new Uint8Array(255)]).slice(0, 2)], [0, 255]);
  assertEquals([...encodeMessage([new Uint8Array(256)]).slice(0, 9)], [2, 0, 0, 0, 0, 0, 0, 1, 0]);
  assertEquals([...encodeMessage([bytes(7), bytes(8)])], [1, 1, 7, 0, 1, 8]);
});

Deno.test("a subscriber asks for everything when the other side is ready, a dealer for nothing", () => {
  const subscriber = new ZmtpPeer("SUB");
  assertEquals(subscriber.receive(greeting()), { messages: [], toSend: [] });
  assertEquals(subscriber.ready, false);
  assertEquals(subscriber.receive(bytes(4, 6, 5, "READY")).toSend, [bytes(0, 1, 1)]);
  assertEquals(subscriber.ready, true);
  assertEquals(
    new ZmtpPeer("DEALER").receive(new Uint8Array([...greeting(), 4, 6, 5, ...bytes("READY")])).toSend,
    [],
  );
});

Deno.test("a PING is answered with its context, another command passed over", () => {
  const peer = readyPeer();
  assertEquals(peer.receive(bytes(4, 9, 4, "PING", 0, 100, "ab")).toSend, [bytes(4, 7, 4, "PONG", "ab")]);
  assertEquals(peer.receive(bytes(4, 6, 5, "OTHER")), { messages: [], toSend: [] });
});

Deno.test("another version, another mechanism and a refusal are named", () => {
  assertThrows(() => new ZmtpPeer("SUB").receive(greeting(2)), Error, "does not speak version 3");
  assertThrows(() => new ZmtpPeer("SUB").receive(new Uint8Array(64)), Error, "does not speak version 3");
  assertThrows(() => new ZmtpPeer("SUB").receive(greeting(3, "CURVE")), Error, "current value is CURVE");
  const peer = new ZmtpPeer("SUB");
  peer.receive(greeting());
  assertThrows(() => peer.receive(bytes(4, 6, 5, "ERROR")), Error, "the other side answered ERROR");
});

Deno.test("a torn stream is an error, not a message", () => {
  assertThrows(() => readyPeer().receive(bytes("{}")), Error, "no frame has the flags 0x7b");
  assertThrows(
    () => readyPeer().receive(bytes(2, 0, 0, 1, 0, 0, 0, 0, 0)),
    Error,
    "no frame has 1099511627776 bytes",
  );
  const peer = new ZmtpPeer("DEALER");
  peer.receive(greeting());
  assertThrows(() => peer.receive(bytes(0, 1, 1)), Error, "a message came before READY");
});
