import { assert, assertFalse } from "@std/assert";
import { RepeatedResponse } from "./repeated_response.ts";

const RESPONSE = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** A buffer with what is known of it, and a way to receive into it. */
function receiver(size = 256) {
  const buffer = new Uint8Array(size);
  const known = new RepeatedResponse(buffer);
  return { buffer, known, receive: (text: string) => new TextEncoder().encodeInto(text, buffer).written };
}

Deno.test("RepeatedResponse: knows a response by every byte of it", () => {
  const { buffer, known, receive } = receiver();
  const length = receive(RESPONSE);
  known.keep(length);
  for (let at = 0; at < length; at++) {
    receive(RESPONSE);
    assert(known.matches(length));
    buffer[at]!++;
    assertFalse(known.matches(length), `byte ${at}`);
  }
});

Deno.test("RepeatedResponse: knows neither less nor more than the response", () => {
  const { known, receive } = receiver();
  const length = receive(`${RESPONSE}HTTP`) - "HTTP".length;
  known.keep(length);
  assert(known.matches(length));
  for (const other of [0, 1, length - 1, length + 1, length + 4]) {
    assertFalse(known.matches(other), `${other}`);
  }
});

Deno.test("RepeatedResponse: keeps the last one, of any length", () => {
  const { known, receive } = receiver();
  for (let extra = 0; extra < 9; extra++) {
    const before = receive(RESPONSE.slice(extra + 1));
    known.keep(before);
    const length = receive(RESPONSE.slice(extra));
    assertFalse(known.matches(length));
    known.keep(length);
    assert(known.matches(length));
    assertFalse(known.matches(before));
  }
});

Deno.test("RepeatedResponse: does not keep one that is too long, and still knows the one before", () => {
  const { known, receive } = receiver(8192);
  const length = receive(RESPONSE);
  assert(known.keep(length));
  assertFalse(known.keep(4097));
  assert(known.matches(length));
  assertFalse(known.matches(4097));
});

Deno.test("RepeatedResponse: what it keeps is a copy", () => {
  const { buffer, known, receive } = receiver();
  const length = receive(RESPONSE);
  known.keep(length);
  buffer.fill(0);
  assertFalse(known.matches(length));
  receive(RESPONSE);
  assert(known.matches(length));
});
