import { assert, assertEquals } from "@std/assert";
import { readEnvironment, timeWaitMs } from "./environment.ts";

/** The paths of every `null` below a value, as `reasons` names them. */
function nulls(value: unknown, path = ""): string[] {
  if (value === null) return [path];
  if (typeof value !== "object" || Array.isArray(value)) return [];
  return Object.entries(value as object).flatMap(([key, inner]) =>
    nulls(inner, path === "" ? key : `${path}.${key}`)
  );
}

Deno.test("every null has a reason, and every reason a null", () => {
  const { reasons, ...facts } = readEnvironment({ isolation: "none" });
  assertEquals(Object.keys(reasons).sort(), nulls(facts).sort());
  for (const reason of Object.values(reasons)) assert(reason.length > 0);
});

Deno.test("what the caller knows is carried over", () => {
  const { isolation, source, reasons, runtime, system } = readEnvironment({
    isolation: "namespace",
    source: { commit: "0123abc", clean: false, reason: null },
  });
  assertEquals(isolation, "namespace");
  assertEquals(source, { commit: "0123abc", clean: false });
  assertEquals(Object.keys(reasons).filter((path) => path.startsWith("source")), []);
  assertEquals(runtime, { ...Deno.version });
  assertEquals([system.os, system.arch], [Deno.build.os, Deno.build.arch]);
});

Deno.test("an unknown source is null with its reason", () => {
  const elsewhere = readEnvironment({ isolation: "none" });
  assertEquals(elsewhere.source, { commit: null, clean: null });
  assertEquals(elsewhere.reasons["source.commit"], "Read by the supervisor");
  const reason = "This is no checkout";
  const without = readEnvironment({ isolation: "none", source: { commit: null, clean: null, reason } });
  assertEquals([without.reasons["source.commit"], without.reasons["source.clean"]], [reason, reason]);
});

Deno.test("TIME_WAIT lasts what the system makes it last, and unknown is not 0", () => {
  assertEquals(timeWaitMs("linux"), 60_000);
  assertEquals(timeWaitMs("darwin"), 30_000);
  assertEquals(timeWaitMs("windows"), 120_000);
  assertEquals(timeWaitMs("plan9"), null);
});

if (Deno.build.os === "linux") {
  Deno.test("on Linux every fact about the machine is found", () => {
    const { cpu, memoryBytes, network, limits, reasons, system } = readEnvironment({ isolation: "none" });
    assertEquals(Object.keys(reasons).sort(), ["source.clean", "source.commit"]);
    assertEquals(system.kernel, Deno.osRelease());
    assert(cpu.count !== null && cpu.count >= 1);
    assert(memoryBytes !== null && memoryBytes > 2 ** 20);
    assert(limits.descriptors !== null && limits.descriptors >= 16);
    const [low, high] = network.ephemeralPorts!;
    assert(1 <= low && low <= high && high <= 65_535);
    assert([0, 1, 2].includes(network.tcpTwReuse!));
    assert(/^\S+$/.test(network.congestionControl!));
    assertEquals(network.timeWaitMs, 60_000);
  });
}
