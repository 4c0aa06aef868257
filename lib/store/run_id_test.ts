import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { makeRunFolder, runId, runIdTime } from "./run_id.ts";

/** Random numbers from a list, again and again. */
function sequence(...numbers: number[]): () => number {
  let at = 0;
  return () => numbers[at++ % numbers.length]!;
}

const STARTED = new Date("2026-12-01T10:15:00.999Z");

Deno.test("runId() sorts by time and is a plain file name", () => {
  const later = new Date("2026-12-01T10:15:01Z");
  const ids = [runId(later, () => 0), runId(STARTED, () => 0.9999)];
  assertEquals(ids.sort(), ["20261201T101500Z-zzzz", "20261201T101501Z-0000"]);
  assertMatch(runId(STARTED, Math.random), /^[0-9]{8}T[0-9]{6}Z-[0-9a-z]{4}$/);
});

Deno.test("runIdTime() tells when a run began, and what is no run id", () => {
  assertEquals(runIdTime("20261201T101500Z-k3f9"), "2026-12-01T10:15:00.000Z");
  for (const name of ["backup", "20261201T101500Z", "20261201T101500Z-k3f9.old", "latest"]) {
    assertEquals(runIdTime(name), null);
  }
});

Deno.test("makeRunFolder() draws again where the name is taken", () => {
  using parent = new TemporaryFolder();
  const random = () => sequence(0, 0, 0, 0, 0.5);
  assertEquals(makeRunFolder(parent.path, STARTED, random()), "20261201T101500Z-0000");
  assertEquals(makeRunFolder(parent.path, STARTED, random()), "20261201T101500Z-i000");
  assertThrows(() => makeRunFolder(parent.path, STARTED, () => 0), Deno.errors.AlreadyExists);
});
