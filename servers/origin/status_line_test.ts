import { assertEquals, assertRejects } from "@std/assert";
import { madeFacts, madeReport } from "./_made_stats.ts";
import { statsOf } from "./stats.ts";
import { reportStatus, statusLine } from "./status_line.ts";

const rssBytes = 64 * 2 ** 20;

Deno.test("statusLine tells what the stack tells", () => {
  const facts = madeFacts("node");
  const stats = statsOf([madeReport(facts)], { facts, port: null, rssBytes })!;
  assertEquals(
    statusLine({ ...stats, refused: 3 }),
    "accepted 1, active 1, in flight 0, requests 1, refused 3, event loop delay 1.0 ms, memory 64.0 MiB",
  );
  const unseen = madeFacts("deno");
  assertEquals(
    statusLine(statsOf([madeReport(unseen)], { facts: unseen, port: null, rssBytes: 0 })!),
    "client ports 1, in flight 0, requests 1, event loop delay 1.0 ms",
  );
});

Deno.test("reportStatus says a line only where something has changed", async () => {
  const facts = madeFacts("node");
  const stats = statsOf([madeReport(facts)], { facts, port: null, rssBytes })!;
  const requests = [1, 1, 2, 2, 5];
  const said: string[] = [];
  const report = reportStatus(() => Promise.resolve({ ...stats, requests: requests.shift()! }), {
    say: (line) => void said.push(/requests \d/.exec(line)![0]),
    wait: () => requests.length > 0 ? Promise.resolve() : Promise.reject(new Error("Enough")),
  });
  await assertRejects(() => report, Error, "Enough");
  assertEquals(said, ["requests 2", "requests 5"]);
});
