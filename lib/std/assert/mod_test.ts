// Checked with node:assert, so that what is tested does not test itself.
import nodeAssert from "node:assert";
import {
  assert,
  assertAlmostEquals,
  assertArrayIncludes,
  assertEquals,
  assertExists,
  assertFalse,
  assertGreater,
  assertGreaterOrEqual,
  assertInstanceOf,
  AssertionError,
  assertLess,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertObjectMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  fail,
  unreachable,
} from "@std/assert";

class Point {
  constructor(readonly x: number) {}
}

/** Runs an assertion that is to fail. */
function failure(check: () => void): AssertionError {
  try {
    check();
  } catch (error) {
    nodeAssert.ok(error instanceof AssertionError, `Not an AssertionError: ${error}`);
    nodeAssert.strictEqual(error.name, "AssertionError");
    return error;
  }
  throw new Error("The assertion held");
}

Deno.test("assertEquals() takes deeply equal values, -0 and objects without a prototype among them", () => {
  const bare = Object.assign(Object.create(null), { a: [0] });
  assertEquals({ a: [1, { b: "c" }] }, { a: [1, { b: "c" }] });
  assertEquals([NaN, -0], [NaN, 0]);
  assertEquals(bare, { a: [-0] });
  assertEquals(new Map([[1, -0]]), new Map([[1, 0]]));
  assertEquals(new Set([{ a: 1 }]), new Set([{ a: 1 }]));
  assertEquals(new Float64Array([1, 2, 3]).subarray(1), new Float64Array([2, 3]));
  assertEquals(new Date(NaN), new Date(NaN));
  assertEquals(new Point(1), new Point(1));
});

Deno.test("assertEquals() refuses what differs in value, class, or in a member that is undefined", () => {
  const pairs: [unknown, unknown][] = [
    [1, "1"],
    [{ a: undefined }, {}],
    [[1, 2], [2, 1]],
    [new Point(1), { x: 1 }],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Set([1]), new Set([2])],
    [new Uint8Array([1]), new Uint8Array([2])],
    [null, undefined],
    [[], {}],
    [/a/g, /a/i],
    [new Date(0), new Date(1)],
    [new URL("http://a.test/"), new URL("http://b.test/")],
  ];
  for (const [actual, expected] of pairs) {
    failure(() => assertEquals(actual, expected));
    assertNotEquals(actual, expected);
  }
  failure(() => assertNotEquals({ a: 0 }, { a: -0 }));
});

Deno.test("assertEquals() survives a cycle", () => {
  const ring = (last: number) => {
    const members: unknown[] = [1];
    members.push(members, last);
    return members;
  };
  assertEquals(ring(2), ring(2));
  failure(() => assertEquals(ring(2), ring(3)));
});

Deno.test("a failed assertEquals() shows what differs and the author's words", () => {
  const { message } = failure(() => assertEquals({ port: 80, host: "a" }, { port: 81, host: "a" }, "ports"));
  nodeAssert.match(message, /Values are not equal: ports/);
  nodeAssert.match(message, /80/);
  nodeAssert.match(message, /81/);
  const lines = failure(() => assertEquals("one\ntwo\nthree", "one\n2\nthree")).message.split("\n");
  nodeAssert.ok(lines.some((line) => line.includes("two") && !line.includes("one")), lines.join("\n"));
});

Deno.test("assertStrictEquals() takes the same value only", () => {
  const list = [1];
  assertStrictEquals(list, list);
  assertStrictEquals(NaN, NaN);
  failure(() => assertStrictEquals([1], [1]));
  failure(() => assertStrictEquals(0, -0));
});

Deno.test("assert(), assertFalse(), assertExists(), assertInstanceOf() narrow the type", () => {
  const value = "abc" as string | number | null;
  assertExists(value);
  assert(typeof value === "string", "a text");
  nodeAssert.strictEqual(value.length, 3);
  const point: unknown = new Point(2);
  assertInstanceOf(point, Point);
  nodeAssert.strictEqual(point.x, 2);
  assertFalse(0);
  nodeAssert.strictEqual(failure(() => assert(0, "nothing")).message, "nothing");
  failure(() => assertFalse("x"));
  failure(() => assertExists(null));
  failure(() => assertExists(undefined));
  failure(() => assertInstanceOf({}, Point));
});

Deno.test("assertMatch() and assertStringIncludes() look into a text", () => {
  assertMatch("abc", /b/);
  assertStringIncludes("abc", "bc");
  failure(() => assertMatch("abc", /d/));
  failure(() => assertStringIncludes("abc", "cb"));
});

Deno.test("assertions of order take what lies on their side of the bound", () => {
  assertGreater(2, 1);
  assertGreaterOrEqual(2, 2);
  assertLess("a", "b");
  assertLessOrEqual(2n, 2n);
  failure(() => assertGreater(1, 1));
  failure(() => assertGreaterOrEqual(1, 2));
  failure(() => assertLess(1, 1));
  failure(() => assertLessOrEqual(2, 1));
  failure(() => assertGreater(NaN, 1));
});

Deno.test("assertAlmostEquals() allows a ten-millionth, or the tolerance that it is given", () => {
  assertAlmostEquals(0.1 + 0.2, 0.3);
  assertAlmostEquals(10, 10.4, 0.5);
  assertAlmostEquals(Infinity, Infinity);
  assertAlmostEquals(NaN, NaN);
  failure(() => assertAlmostEquals(1, 1.000_001));
  failure(() => assertAlmostEquals(10, 10.6, 0.5));
  failure(() => assertAlmostEquals(NaN, 1));
});

Deno.test("assertThrows() returns the error and checks class and message", () => {
  const error = assertThrows(
    () => {
      throw new RangeError("too far");
    },
    RangeError,
    "far",
  );
  nodeAssert.strictEqual(error.message, "too far");
  nodeAssert.strictEqual(
    assertThrows(() => {
      // deno-lint-ignore no-throw-literal -- anything may be thrown
      throw 5;
    }),
    5,
  );
  const thrower = () => {
    throw new TypeError("bad");
  };
  failure(() => assertThrows(thrower, RangeError));
  failure(() => assertThrows(thrower, TypeError, "good"));
  failure(() => assertThrows(() => 1));
  nodeAssert.match(failure(() => assertThrows(() => 1, "said")).message, /said/);
});

Deno.test("assertRejects() takes a rejection, not a throw and not a value", async () => {
  const error = await assertRejects(() => Promise.reject(new RangeError("too far")), RangeError, "far");
  nodeAssert.strictEqual(error.message, "too far");
  nodeAssert.strictEqual(await assertRejects(() => Promise.reject(5)), 5);
  const failing: (() => PromiseLike<unknown>)[] = [
    () => Promise.resolve(1),
    () => Promise.reject(new TypeError("far")),
    () => Promise.reject(new RangeError("near")),
    () => {
      throw new RangeError("far");
    },
  ];
  for (const fn of failing) {
    await nodeAssert.rejects(assertRejects(fn, RangeError, "far"), AssertionError);
  }
});

Deno.test("assertArrayIncludes() asks for every member, deeply", () => {
  assertArrayIncludes([{ a: 1 }, { a: 2 }, { a: 3 }], [{ a: 3 }, { a: 1 }]);
  failure(() => assertArrayIncludes([1, 2], [2, 3]));
});

Deno.test("assertObjectMatch() asks for the members that are named", () => {
  assertObjectMatch({ a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } });
  assertObjectMatch({ list: [{ a: 1, b: 2 }] }, { list: [{ a: 1 }] });
  assertObjectMatch({ point: new Point(1) }, { point: { x: 1 } });
  failure(() => assertObjectMatch({ a: 1 }, { a: 2 }));
  failure(() => assertObjectMatch({ a: 1 }, { b: undefined }));
  failure(() => assertObjectMatch({ list: [1] }, { list: [1, 2] }));
  failure(() => assertObjectMatch({ map: new Map([[1, 2]]) }, { map: new Map([[1, 3]]) }));
});

Deno.test("fail() and unreachable() always fail, and say why", () => {
  nodeAssert.match(failure(() => fail("why")).message, /why/);
  nodeAssert.match(failure(() => unreachable("never")).message, /never/);
});
