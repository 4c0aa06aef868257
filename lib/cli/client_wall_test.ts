import { assertEquals, assertMatch } from "@std/assert";
import { readRun } from "../store/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { run, valuesOf } from "./_task.ts";
import type { RunDocument } from "./run_text.ts";

/** What each arm lost, to which side. */
function costs({ summary }: RunDocument): Record<string, string[]> {
  const found = summary.filter(({ name, value }) => name.startsWith("gaveOut") && value !== 0);
  const arms = Map.groupBy(found, ({ variant }) => variant!);
  return Object.fromEntries([...arms].map(([arm, own]) => [arm, own.map(({ name }) => name)]));
}

function verdictsOf({ claims }: RunDocument): Record<string, string> {
  return Object.fromEntries(claims.map(({ id, verdict }) => [id, verdict]));
}

if (Deno.build.os === "linux") {
  Deno.test("lab run server-limits --mode client-wall tells which side ran out, each in an arm of its own", async () => {
    using data = new TemporaryFolder();
    const args = ["--mode", "client-wall", "--quick", "--ports", "128", "--data", data.path];
    const document = await run("server-limits", ...args);
    assertEquals(costs(document), {
      "client-ports": ["gaveOutClientPorts"],
      "server-descriptors-deno": ["gaveOutServer"],
      "server-descriptors-node": ["gaveOutServer"],
      "accept-queue": ["gaveOutAcceptQueue"],
      "client-descriptors": ["gaveOutClientDescriptors"],
    });
    assertEquals(valuesOf(document, "opened")["client-ports"], 128);
    assertEquals(valuesOf(document, "activeAtServer")["client-ports"], 129);
    assertEquals(valuesOf(document, "localPortsExhaustedClient"), { "client-ports": 200 - 128 });
    const { B4, B5 } = verdictsOf(document);
    assertEquals({ B4, B5 }, { B4: "holds", B5: "holds" });
    assertEquals(document.environment?.isolation, "namespace");
    // A server that ends for want of descriptors is a result: its exit and what it said.
    const { tables } = await readRun(document.path);
    const ends = [...tables.arms!.rows()].map(({ variant, serverEnd }) => [variant, serverEnd] as const);
    assertEquals(ends.filter(([, end]) => end !== null).map(([variant]) => variant), [
      "server-descriptors-deno",
    ]);
    assertMatch(`${ends.find(([, end]) => end !== null)![1]}`, /^exit status 1: .*Too many open files/);
  });
}

Deno.test("lab run server-limits --mode throughput measures each path at each number of connections", async () => {
  using data = new TemporaryFolder();
  const client = Deno.build.os === "linux" ? "epoll" : "raw";
  const document = await run(
    "server-limits",
    ...["--mode", "throughput", "--client", client, "--connections", "3", "--duration", "100ms"],
    ...["--difficulty", "1", "--data", data.path],
  );
  const loads = ["static", "computing"].flatMap((path) =>
    ["1 connection", "3 connections"].map((size) => `${path}, 1 worker, ${size}`)
  );
  assertEquals(Object.keys(valuesOf(document, "requestsPerSecond")), loads);
  const [sent, answered, failed, unfinished] = ["sent", "answered", "failed", "unfinished"].map((name) =>
    valuesOf(document, name)
  );
  for (const load of loads) {
    assertEquals(sent![load], answered![load]! + failed![load]! + unfinished![load]!, load);
  }
  assertEquals(new Set(Object.values(failed!)), new Set([0]));
  const { B4, B5 } = verdictsOf(document);
  assertEquals({ B4, B5 }, { B4: "not measured", B5: "not measured" });
});
