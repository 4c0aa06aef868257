import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError, resolveParams } from "../../record/mod.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { armsOf } from "./plan.ts";

function values(given: Record<string, unknown> = {}): Values {
  return resolveParams(params, given).values;
}

const variants = (given: Record<string, unknown>) => armsOf(values(given)).map(({ variant }) => variant);

Deno.test("a run measures its strategies, and beside them what tells where a difference comes from", () => {
  assertEquals(variants({ strategies: "plain,window,full-range" }), [
    ...["plain", "window", "full-range"],
    ...["plain/low-9025", "plain/2-sources", "plain/ipv6"],
    ...["window/1-port", "window/0.88%", "window/8.85%", "window/17.7%"],
  ]);
  assertEquals(variants({ strategies: "udp,udp,bind-first", compare: "none" }), ["udp", "bind-first"]);
  assertEquals(variants({ strategies: "plain", compare: "sources", sources: 2 }), [
    "plain",
    "plain/1-source",
  ]);
  assertEquals(variants({ strategies: "plain", compare: "family", family: "ipv6" }), ["plain", "plain/ipv4"]);
  assertEquals(variants({ strategies: "plain,udp", compare: "none", concurrent: 4 }), [
    "plain",
    "udp",
    "plain/4-threads",
  ]);
});

Deno.test("all of the range is filled, from two sources twice", () => {
  const [one] = armsOf(values({ strategies: "plain", ports: 1000 }));
  const [two] = armsOf(values({ strategies: "plain", ports: 1000, sources: 2 }));
  assertEquals([one!.range, one!.connects, two!.connects], [{ low: 9024, high: 10_023 }, 1000, 2000]);
  assertEquals(armsOf(values({ strategies: "window", ports: 1000, window: "500" }))[0]!.windowPorts, 500);
});

Deno.test("the range that is moved by one stays below the last port", () => {
  const lows = (low: number, ports: number) =>
    armsOf(values({ strategies: "plain", compare: "low", low, ports })).map(({ range }) => range.low);
  assertEquals(lows(9024, 56_512), [9024, 9023]);
  assertEquals(lows(9024, 56_511), [9024, 9025]);
  assertEquals(lows(1024, 64_512), [1024]);
});

Deno.test("a range beyond the last port, two sources of IPv6 and a strategy that there is not are refused", () => {
  assertThrows(() => armsOf(values({ low: 60_000, ports: 6000 })), MisuseError, "give --low 59536 or less");
  assertThrows(() => armsOf(values({ sources: 2, family: "ipv6" })), MisuseError, "the one address ::1");
  assertThrows(() => values({ strategies: "plain,magic" }), MisuseError, "plain, bind-first");
  assertThrows(() => values({ ports: 10 }), MisuseError, ">= 64");
  assertThrows(
    () => experiment.needs!(values({ concurrent: 2, ports: 20_000 })),
    MisuseError,
    "--ports 16000",
  );
});

Deno.test("a comparison beside none is refused, and none given twice is none", () => {
  for (const compare of ["none,low", "low,none", "family,none,low"]) {
    assertThrows(() => armsOf(values({ compare })), MisuseError, `Cannot compare ${compare} as none`);
    assertThrows(() => experiment.needs!(values({ compare })), MisuseError, "give --compare none");
  }
  assertEquals(variants({ strategies: "plain", compare: "none,none" }), ["plain"]);
});

Deno.test("a window is a number of ports or a share of the range", () => {
  assertEquals(["1000", 1000, "1.77%", "8.85 %"].map((window) => values({ window }).window), [
    "1000",
    "1000",
    "1.77%",
    "8.85%",
  ]);
  for (const window of ["0", "-3", "0%", "101%", "1,77%", "many", null]) {
    assertThrows(() => values({ window: window as string }), MisuseError, "a share of the range");
  }
});

Deno.test("sockets that one process may not have are kept by holders", () => {
  const asked = (given: Record<string, unknown>) => {
    const own = values({ strategies: "full-range", compare: "none", ...given });
    return [experiment.servers!(own).map(({ as }) => as), experiment.descriptors!(own)];
  };
  assertEquals(asked({ ports: 16_000 }), [[], 17_064]);
  assertEquals(asked({ ports: 100 }), [[], 1164]);
  assertEquals(asked({ ports: 56_000 }), [
    ["holder-1", "holder-2", "holder-3"],
    17_064,
  ]);
});
