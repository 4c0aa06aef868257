import { assert, assertEquals, assertThrows } from "@std/assert";
import { column } from "../record/mod.ts";
import type { MeasureEvent } from "./protocol.ts";
import { Recorder } from "./recorder.ts";

const TABLES = { naps: { order: column.count("place, from 0") }, dreams: { text: column.text("what of") } };
const WARNING = { code: "noise", message: "There is noise", remedy: "Close the window" };

/** A recorder with what it has said, and with whoever hears it at hand. */
class Heard {
  readonly events: MeasureEvent[] = [];
  readonly #asked: (() => void)[] = [];
  readonly recorder = new Recorder(TABLES, {
    send: (event) => void this.events.push(event),
    settled: () => new Promise((resolve) => void this.#asked.push(resolve)),
  });

  /** How many times it was asked whether all is settled, without an answer yet. */
  get asked(): number {
    return this.#asked.length;
  }

  settle(): void {
    for (const answer of this.#asked.splice(0)) answer();
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }
}

/** Lets everything happen that can. */
function turn(): Promise<void> {
  return new Promise((wake) => setTimeout(wake));
}

/** Work that lasts until it is told to end. */
function lasting(): { work: () => Promise<void>; begun: () => boolean; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = false;
  return { work: () => ((begun = true), promise), begun: () => begun, end: resolve };
}

Deno.test("a timed interval begins when all that was sent before it has been dealt with", async () => {
  const heard = new Heard();
  heard.recorder.emit("naps", { order: 0 });
  heard.recorder.progress(1, 2, "napping");
  const { work, begun, end } = lasting();
  const timed = heard.recorder.timed(work);
  await turn();
  assertEquals({ begun: begun(), asked: heard.asked, types: heard.types }, {
    begun: false,
    asked: 1,
    types: ["rows", "progress"],
  });
  // More is sent while it waits: that has to be dealt with too.
  heard.recorder.warn(WARNING);
  heard.settle();
  await turn();
  assertEquals({ begun: begun(), asked: heard.asked }, { begun: false, asked: 1 });
  heard.settle();
  await turn();
  assertEquals(begun(), true);
  end();
  await timed;
});

Deno.test("a timed interval does not wait when nothing was sent", async () => {
  const heard = new Heard();
  heard.recorder.emit("naps", { order: 0 });
  for (const value of [1, 2]) {
    assertEquals((await heard.recorder.timed(() => Promise.resolve(value))).value, value);
  }
  assertEquals([heard.asked, heard.types], [0, []]);
});

Deno.test("intervals at the same time wait once, and one within another does not wait", async () => {
  const heard = new Heard();
  heard.recorder.progress(1, 2, "napping");
  const [first, second, third] = [lasting(), lasting(), lasting()];
  const both = [heard.recorder.timed(first.work), heard.recorder.timed(second.work)];
  assertEquals(heard.asked, 1);
  heard.settle();
  await turn();
  assertEquals([first.begun(), second.begun(), heard.asked], [true, true, 0]);
  const within = heard.recorder.timed(third.work);
  assertEquals(third.begun(), true);
  for (const { end } of [first, second, third]) end();
  await Promise.all([...both, within]);
});

Deno.test("nothing is said during a timed interval, and nothing is lost", async () => {
  const heard = new Heard();
  const { recorder } = heard;
  await recorder.timed(() => {
    for (let order = 0; order < 50_000; order++) recorder.emit("naps", { order });
    recorder.emit("dreams", { text: "a flight, of stairs" });
    recorder.warn(WARNING);
    recorder.warn(WARNING);
    recorder.progress(1, 2, "napping");
    assertEquals(heard.events, []);
    return Promise.resolve();
  });
  recorder.flush();
  recorder.flush();
  const rows = heard.events.filter((event) => event.type === "rows");
  const naps = rows.filter(({ table }) => table === "naps");
  assertEquals(naps.reduce((sum, { count }) => sum + count, 0), 50_000);
  assertEquals(
    naps.map(({ text }) => text).join(""),
    Array.from({ length: 50_000 }, (_, order) => `${order}\n`).join(""),
  );
  assert(
    naps.length > 1 && naps.every(({ text }) => text.length < 2 ** 16 + 10),
    `${naps.map((n) => n.text.length)}`,
  );
  assertEquals(rows.filter(({ table }) => table === "dreams").map(({ text }) => text), [
    '"a flight, of stairs"\n',
  ]);
  assertEquals(heard.types.filter((type) => type !== "rows"), ["warning"]);
});

Deno.test("a run that is to stop hands on what it has, within an interval too", async () => {
  const heard = new Heard();
  await heard.recorder.timed(() => {
    heard.recorder.emit("naps", { order: 0 });
    heard.recorder.flush();
    assertEquals(heard.events, [{ type: "rows", table: "naps", text: "0\n", count: 1 }]);
    return Promise.resolve();
  });
});

Deno.test("rows go by themselves when many have come together outside of an interval", () => {
  const heard = new Heard();
  for (let order = 0; order < 50_000; order++) heard.recorder.emit("naps", { order });
  assert(heard.types.length >= 3 && heard.types.every((type) => type === "rows"), `${heard.types}`);
});

Deno.test("a row of a table that is not declared is an error that names those that are", () => {
  assertThrows(() => new Heard().recorder.emit("nap", {}), RangeError, "it declares naps, dreams");
});
