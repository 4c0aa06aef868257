import { assertEquals, assertMatch } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { lab, run, valuesOf } from "./_task.ts";

/** The verdict on each claim. */
function verdicts({ claims }: Awaited<ReturnType<typeof run>>): string[] {
  return claims.map(({ id, verdict }) => `${id} ${verdict}`);
}

if (Deno.build.os === "linux") {
  Deno.test("lab run port-exhaustion holds as many connections as predicted, in every arm", async () => {
    using data = new TemporaryFolder();
    const document = await run("port-exhaustion", "--ports", "64", "--quick", "--data", data.path);
    assertEquals(valuesOf(document, "observedConnections"), {
      ...{ "base": 64, "reuse-1": 64, "reuse-2": 64, "destinations-2": 128, "sources-2": 128 },
      ...{ "bind-no-port": 64, "bind-first": 64, "destinations-2/bind-first": 64 },
      ...{ "reuse-address": 64, "reuse-address/bind-first": 64, "server-closes": 64, "linger-0": 64 },
    });
    assertEquals(
      valuesOf(document, "predictedConnections"),
      valuesOf(document, "observedConnections"),
    );
    assertEquals(valuesOf(document, "timeWaitServer")["server-closes"], 64);
    assertEquals(valuesOf(document, "timeWaitClient")["linger-0"], 0);
    assertEquals(verdicts(document), [
      "A4 not measured",
      "A17 not measured",
      "A18 holds",
      "A20 holds",
      "B10 holds",
    ]);
    assertEquals(document.environment?.isolation, "namespace");
    assertEquals(document.warnings.map(({ code }) => code).filter((code) => code !== "busy-machine"), [
      "loopback-reuse",
    ]);
    // Each kind that was provoked is the only one that it was taken for.
    const provoked = document.summary.filter(({ variant }) => variant === "provoked");
    assertEquals(provoked.map(({ name, value }) => `${name} ${value}`).filter((one) => !/^desc/.test(one)), [
      ...["addressInUseClient 2", "localPortsExhaustedClient 1", "refusedServer 1", "resetServer 1"],
      ...["timedOutUnknown 1", "unreachableNetwork 1"],
    ]);
  });

  Deno.test("lab run port-exhaustion leaves reserved ports out, and multiplies by sources and destinations", async () => {
    using data = new TemporaryFolder();
    const document = await run(
      ...["port-exhaustion", "--ports", "32", "--reserved", "32760-32771,32780", "--no-compare", "--quick"],
      ...["--sources", "2", "--destinations", "3", "--bind", "no-port", "--linger0", "--data", data.path],
    );
    assertEquals(valuesOf(document, "predictedConnections"), { base: 27 * 6 });
    assertEquals(valuesOf(document, "observedConnections"), { base: 27 * 6 });
    assertEquals(valuesOf(document, "timeWaitClient"), { base: 0 });
  });

  Deno.test("lab run port-exhaustion refuses what cannot be, with nothing started", async () => {
    using data = new TemporaryFolder();
    const refusals: [args: string[], code: number, message: RegExp][] = [
      [["--ports", "15"], 2, /must be >= 16/],
      [["--ports", "17"], 2, /Cannot predict for 17 ports as it is left to chance/],
      [["--ports", "16", "--reserved", "1-65535"], 2, /all of it is reserved/],
      [["--reserved", "40000-30000"], 2, /current value is 40000-30000/],
      [["--sources", "2"], 2, /give --bind no-port or --bind first/],
      [["--time-wait-reuse", "3"], 2, /must be 0, 1 or 2/],
      [["--ports", "16000", "--destinations", "8"], 3, /needs \d+ file descriptors at once/],
    ];
    for (const [args, code, message] of refusals) {
      const outcome = await lab("run", "port-exhaustion", ...args, "--data", data.path);
      assertEquals([outcome.code, outcome.out], [code, ""], outcome.err);
      assertMatch(outcome.err, message);
    }
    assertEquals(data.names, []);
  });
}
