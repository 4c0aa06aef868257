import { assertEquals, assertRejects } from "@std/assert";
import { isAlive, sendSignal } from "../system/mod.ts";
import { until } from "../testing/mod.ts";
import { Servers } from "./servers.ts";

Deno.test("a server's flags may depend on those before it, by what they are called", async () => {
  const seen: string[][] = [];
  await using servers = await Servers.start([
    { name: "origin", flags: ["--ports", "2"] },
    { name: "origin", as: "twin", flags: [] },
    {
      name: "origin",
      as: "last",
      flags: (before) => {
        seen.push(Object.keys(before));
        return ["--ports", `${before.origin!.ports.length + 1}`];
      },
    },
  ]);
  assertEquals(seen, [["origin", "twin"]]);
  const { origin, twin, last } = servers.handles;
  assertEquals([origin, twin, last].map((handle) => handle!.ports.length), [2, 0, 3]);
});

Deno.test("one that does not start, or flags that cannot be computed, leave none behind", async () => {
  const pids: number[] = [];
  const start = (flags: readonly string[] | (() => never)) =>
    Servers.start([
      { name: "origin", flags: [] },
      {
        name: "origin",
        as: "second",
        flags: (before) => {
          pids.push(before.origin!.pid);
          return typeof flags === "function" ? flags() : flags;
        },
      },
    ]);
  await assertRejects(() => start(["--port", "none"]), Error, "Server second ended with status 2");
  const fail = () => {
    throw new RangeError("No flags today");
  };
  await assertRejects(() => start(fail), RangeError, "No flags today");
  assertEquals([pids.length, pids.filter(isAlive)], [2, []]);
});

Deno.test("a server is told its part before it listens, under what it is called", async () => {
  const specs = [{ name: "origin", flags: [] }, { name: "origin", as: "twin", flags: ["--tls"] }];
  const error = await assertRejects(
    () => Servers.start(specs, { told: { twin: { key: "not-for-your-eyes" } } }),
    Error,
    "the first line on its standard input must be",
  );
  assertEquals(error.message.includes("not-for-your-eyes"), false);
});

Deno.test("the end of a server is told, unless it may end", async () => {
  await using servers = await Servers.start([
    { name: "origin", flags: [] },
    { name: "origin", as: "frail", flags: [], mayEnd: true },
  ]);
  const { origin, frail } = servers.handles;
  sendSignal(frail!.pid, "SIGKILL");
  await until(() => !isAlive(frail!.pid));
  sendSignal(origin!.pid, "SIGKILL");
  assertEquals(await servers.lost, "Server origin was ended by SIGKILL");
});

if (Deno.build.os === "linux") {
  Deno.test("a server listens where its spec lets it, and nowhere else", async () => {
    const flags = ["--hostname", "127.0.0.2"];
    await using servers = await Servers.start([{ name: "origin", flags, net: ["127.0.0.2"] }]);
    assertEquals(servers.handles.origin!.hostname, "127.0.0.2");
    await assertRejects(
      () => Servers.start([{ name: "origin", flags }]),
      Error,
      "Cannot listen on 127.0.0.2 as the right to is missing",
    );
  });
}
