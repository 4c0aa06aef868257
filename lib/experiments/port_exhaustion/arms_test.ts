import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "../../record/mod.ts";
import { armsOf, BASE, portsOf, predict, slotOf } from "./arms.ts";

const ASKED: Parameters<typeof armsOf>[0] = {
  timeWaitReuse: "0",
  destinations: 1,
  sources: 1,
  bind: "none",
  closes: "client",
  linger0: false,
  compare: true,
};

const PLATFORM = { timeWaitMs: 60_000, loopback: true };

/** What is predicted of each arm of a run with 1,000 ports: connections at once, and per second. */
function predictions(asked: Partial<typeof ASKED> = {}) {
  const ports = portsOf({ ports: 1000, reserved: "" });
  return Object.fromEntries(
    armsOf({ ...ASKED, ...asked }).map((arm) => {
      const { connections, sustainedRatePerSecond } = predict(arm, ports, PLATFORM);
      return [arm.variant, [connections, sustainedRatePerSecond && Math.round(sustainedRatePerSecond * 60)]];
    }),
  );
}

Deno.test("armsOf() compares what was asked for with arms that differ in a setting, and each has its prediction", () => {
  assertEquals(predictions(), {
    "base": [1000, 1000],
    "reuse-1": [1000, 60_000],
    "reuse-2": [1000, 60_000],
    "destinations-2": [2000, 2000],
    "sources-2": [2000, 2000],
    "bind-no-port": [1000, 1000],
    "bind-first": [1000, 1000],
    "destinations-2/bind-first": [1000, 1000],
    "reuse-address": [1000, 1000],
    "reuse-address/bind-first": [1000, 1000],
    "server-closes": [1000, null],
    "linger-0": [1000, null],
  });
  assertEquals(Object.keys(predictions({ compare: false })), [BASE]);
});

Deno.test("armsOf() varies any base, and none of its arms is another one", () => {
  const bases = [
    { bind: "first", sources: 2 },
    { bind: "no-port", sources: 3, destinations: 2 },
    { timeWaitReuse: "2", closes: "server", linger0: true },
  ] as const;
  for (const asked of bases) {
    const arms = armsOf({ ...ASKED, ...asked });
    const settings = arms.map(({ variant: _, ...rest }) => JSON.stringify(rest));
    assertEquals(new Set(settings).size, arms.length, JSON.stringify(asked));
    assertEquals(new Set(arms.map(({ variant }) => variant)).size, arms.length);
    // Several sources are never left to the system, which would choose one.
    assertEquals(arms.filter(({ sources, bind }) => sources > 1 && bind === "none"), []);
  }
});

Deno.test("several sources without bind() are refused", () => {
  assertThrows(
    () => armsOf({ ...ASKED, sources: 2 }),
    MisuseError,
    "Cannot use 2 sources without bind()",
  );
});

Deno.test("portsOf() takes an even number of ports, and leaves some that are not reserved", () => {
  assertEquals(portsOf({ ports: 1000, reserved: "1-40,32768-32770" }), {
    ...{ range: [32_768, 33_767], reserved: "1-40,32768-32770" },
  });
  const refused = (ports: number, reserved: string, message: string) =>
    assertThrows(() => portsOf({ ports, reserved }), MisuseError, message);
  refused(1001, "", "whether connect() finds the last one of an odd number: give an even number");
  refused(16, "32768-32783", "Cannot use range 32768-32783 as all of it is reserved");
  for (const reserved of ["40000-30000", "1,two", "32768-99999"]) {
    refused(16, reserved, "Cannot use --reserved as it must be ports such as 8080,9000-9100");
    refused(16, reserved, `none above 65535: current value is ${reserved}`);
  }
});

Deno.test("reserved ports are missing from the prediction", () => {
  const [base] = armsOf(ASKED);
  const { connections } = predict(base!, portsOf({ ports: 1000, reserved: "32700-32777,33767" }), PLATFORM);
  assertEquals(connections, 989);
});

Deno.test("over a network tcp_tw_reuse 2 predicts what 0 does", () => {
  const ports = portsOf({ ports: 600, reserved: "" });
  const rates = armsOf(ASKED).filter(({ variant }) => ["base", "reuse-1", "reuse-2"].includes(variant))
    .map((arm) => predict(arm, ports, { ...PLATFORM, loopback: false }).sustainedRatePerSecond);
  assertEquals(rates, [10, 600, 10]);
});

Deno.test("slotOf() is a port to a destination, or a port where bind() takes it", () => {
  const ends = { source: 1, port: 40_000, destination: 1 };
  const other = { ...ends, destination: 2 };
  assertEquals(slotOf({ bind: "first" }, ends), slotOf({ bind: "first" }, other));
  for (const bind of ["none", "no-port"] as const) {
    assertEquals(slotOf({ bind }, ends) === slotOf({ bind }, other), false);
  }
  assertEquals(slotOf({ bind: "first" }, ends) === slotOf({ bind: "first" }, { ...ends, port: 1 }), false);
});
