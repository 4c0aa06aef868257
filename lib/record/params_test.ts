import { assert, assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "./errors.ts";
import { choice, duration, flag, integer, list, number, shortTime, text, url } from "./param_builders.ts";
import { resolveParams } from "./params.ts";

const schema = {
  requests: integer({ min: 1, max: 100, default: 50, quick: 5, help: "requests" }),
  share: number({ min: 0, max: 1, default: 0.5, help: "share" }),
  lifetime: duration({ default: "2.5s", help: "lifetime" }),
  client: choice(["both", "raw"], { default: "both", help: "client" }),
  sizes: list(integer({ min: 1, max: 9, default: 1, help: "" }), { default: [1, 2], help: "sizes" }),
  watch: flag({ default: false, help: "watch" }),
  note: text({ default: "", help: "note" }),
  target: url({ default: null, protocols: ["http:"], help: "target" }),
};

Deno.test("resolveParams() fills defaults, or quick values where there are some", () => {
  assertEquals(resolveParams(schema, {}).values.requests, 50);
  assertEquals(resolveParams(schema, {}, { quick: true }).values.requests, 5);
  assertEquals(resolveParams(schema, {}, { quick: true }).values.share, 0.5);
  assertEquals(resolveParams(schema, { requests: 7 }, { quick: true }).values.requests, 7);
});

Deno.test("resolveParams() reads text as a command line gives it", () => {
  const { values } = resolveParams(schema, {
    requests: "7",
    share: ".25",
    lifetime: "500ms",
    client: "raw",
    sizes: "3,4",
    watch: "true",
    target: "http://127.0.0.1:8080/x?y",
  });
  assertEquals(values, {
    requests: 7,
    share: 0.25,
    lifetime: 500,
    client: "raw",
    sizes: [3, 4],
    watch: true,
    note: "",
    target: "http://127.0.0.1:8080/x?y",
  });
});

Deno.test("what resolveParams() records resolves to the same values again", () => {
  const { values, json } = resolveParams(schema, { lifetime: 1.1, sizes: [9], target: "http://127.0.0.1" });
  assertEquals(resolveParams(schema, JSON.parse(JSON.stringify(json))), { values, json });
});

Deno.test("shortTime() writes a time that reads as the same time", () => {
  for (const ms of [1, 60, 1000, 1100, 1234, 2500, 60_000, 90_000, 120_000, 5_400_000, 7_200_000, 0.5]) {
    assertEquals(duration({ default: "1s", min: "0s", max: "9h", help: "" }).parse(shortTime(`${ms}ms`)), {
      value: ms,
    });
  }
  assertEquals(["120000ms", "7200000ms", "2500ms", "1234ms", "0ms"].map(shortTime), [
    ...["2m", "2h", "2.5s", "1234ms", "0ms"],
  ]);
});

Deno.test("resolveParams() shows the beginning of a value that is long", () => {
  for (const requests of ["x".repeat(1e6), Array.from({ length: 1e5 }, () => 1)]) {
    const { message } = assertThrows(
      () => resolveParams(schema, { requests }),
      MisuseError,
      "current value is",
    );
    assert(message.length < 400, `${message.length}`);
  }
});

const REFUSED: readonly [name: string, given: unknown, message: string][] = [
  ["requests", 0, "Cannot use requests as it must be >= 1: current value is 0"],
  ["requests", "0", "Cannot use requests as it must be >= 1: current value is 0"],
  ["requests", "1e9", "Cannot use requests as it must be <= 100: current value is 1e9"],
  ["requests", "2,5", "with a point for decimals (2.5): current value is 2,5"],
  ["requests", 2.5, "must be a whole number from 1 to 100: current value is 2.5"],
  ["requests", "", "must be a whole number from 1 to 100"],
  ["requests", "0x10", "must be a whole number from 1 to 100"],
  ["requests", NaN, "must be a whole number from 1 to 100"],
  ["requests", true, "must be a whole number from 1 to 100"],
  ["share", "1,0", "with a point for decimals (1.0)"],
  ["share", "Infinity", "must be a number from 0 to 1"],
  ["lifetime", "2,5", "with a point for decimals (2.5 or 2500ms): current value is 2,5"],
  ["lifetime", "2,5s", "with a point for decimals (2.5s or 2500ms)"],
  ["lifetime", 0, "must be >= 1ms"],
  ["lifetime", "2 weeks", "must be a time such as 2.5s, 500ms"],
  ["client", "Raw", "must be both or raw: current value is Raw"],
  ["sizes", "1,x", "must be a list whose every value is a whole number"],
  ["sizes", "", "must be a list whose every value is a whole number"],
  ["sizes", [], "must be a list of at least one value"],
  ["watch", "yes", "must be true or false"],
  ["note", "x".repeat(1001), "must be text of at most 1000 characters"],
  ["target", "127.0.0.1:80", "must be a URL that begins with http://"],
  ["target", "https://127.0.0.1/", "must be a URL that begins with http://"],
  ["target", "http://me:secret@127.0.0.1/", "without user name or password"],
];

for (const [name, given, message] of REFUSED) {
  Deno.test(`resolveParams() refuses ${name} ${JSON.stringify(given)?.slice(0, 40)}`, () => {
    assertThrows(() => resolveParams(schema, { [name]: given }), MisuseError, message);
  });
}

Deno.test("resolveParams() names the parameter that was probably meant, as it is spelled", () => {
  const spell = (name: string) => `--${name}`;
  assertThrows(
    () => resolveParams(schema, { request: 5 }, { spell }),
    MisuseError,
    "did you mean --requests?",
  );
  assertThrows(() => resolveParams(schema, { zebra: 5 }), MisuseError, "the parameters are requests, share,");
});

Deno.test("a duration whose own bounds or default cannot be read is refused as it is made", () => {
  for (const wrong of [{ default: "2,5s" }, { default: "1s", max: "10min" }, { default: "1s", min: "" }]) {
    assertThrows(() => duration({ ...wrong, help: "" }), RangeError, "is no time");
  }
});
