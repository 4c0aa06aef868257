import { assertEquals, assertMatch } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { lab, run, valuesOf } from "./_task.ts";

if (Deno.build.os === "linux") {
  Deno.test("lab run proxy-pooling uses up the ports of the proxy without a pool, and no others fail", async () => {
    using data = new TemporaryFolder();
    const document = await run(
      ...["proxy-pooling", "--clients", "2", "--duration", "600ms", "--rounds", "1", "--ports", "64"],
      ...["--data", data.path],
    );
    const connections = valuesOf(document, "backendConnections");
    // Each port is good for one connection, and none comes back within a minute.
    assertEquals(connections["shortage/naive"], 64);
    const wanting = valuesOf(document, "localPortsExhaustedClient");
    assertEquals(Object.keys(wanting), ["shortage/naive"]);
    assertEquals(wanting["shortage/naive"]! > 0, true);
    assertEquals(valuesOf(document, "predictedFailedShare")["shortage/naive"], 0.5);
    const failed = Object.entries(valuesOf(document, "failedShare")).filter(([, share]) => share !== 0);
    assertEquals(failed.map(([variant]) => variant), ["shortage/naive", "stale/retry-off"]);
    // A pool has as many connections as there are requests at once, or fewer.
    assertEquals([connections["pooled/2"]! <= 2, connections["five/pooled"]], [true, 1]);
    const verdicts = document.claims.filter(({ id }) => id !== "D2").map(({ id, verdict }) =>
      `${id} ${verdict}`
    );
    assertEquals(verdicts, ["D1 not measured", "D3 holds", "D4 holds"]);
    assertEquals(document.environment?.isolation, "namespace");
  });

  Deno.test("lab run proxy-pooling refuses what cannot be, with nothing started", async () => {
    using data = new TemporaryFolder();
    const refusals: [args: string[], message: RegExp][] = [
      [["--clients", "5,5"], /with 5 clients twice/],
      [["--retry-stale", "perhaps"], /must be both, on or off/],
    ];
    for (const [args, message] of refusals) {
      const outcome = await lab("run", "proxy-pooling", ...args, "--data", data.path);
      assertEquals([outcome.code, outcome.out], [2, ""], outcome.err);
      assertMatch(outcome.err, message);
    }
    assertEquals(data.names, []);
  });
}
