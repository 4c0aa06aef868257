import { assertEquals } from "@std/assert";
import { pause } from "./pause.ts";

const LONG_MS = 3_600_000;

Deno.test("pause() ends by itself, with and without a signal, and lets go of the signal", async () => {
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  signal.addEventListener = (_: string, listener: unknown) => void listening.add(listener);
  signal.removeEventListener = (_: string, listener: unknown) => void listening.delete(listener);
  await pause(0);
  const waiting = pause(0, signal);
  assertEquals(listening.size, 1);
  await waiting;
  assertEquals(listening.size, 0);
});

Deno.test("pause() ends at an abort, and at once when that came before, without an error", async () => {
  const controller = new AbortController();
  const waiting = pause(LONG_MS, controller.signal);
  controller.abort(new Error("enough"));
  await waiting;
  await pause(LONG_MS, controller.signal);
});
