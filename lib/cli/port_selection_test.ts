import { assert, assertEquals, assertMatch } from "@std/assert";
import { readRun } from "../store/mod.ts";
import { isAlive, readKernelFile, readNetworkSetting } from "../system/mod.ts";
import { family, StartedLab, TemporaryFolder, until } from "../testing/mod.ts";
import { lab, run, valuesOf } from "./_task.ts";
import type { RunDocument } from "./run_text.ts";

/** Settings of the machine that a run must not touch. */
const SETTINGS = ["net.ipv4.ip_local_port_range", "net.core.somaxconn", "net.ipv4.tcp_tw_reuse"];

/** The processes of a run, the uppermost first. */
const PROCESSES = ["deno task", "lab", "supervisor", "measuring process"];

const settings = () => SETTINGS.map(readNetworkSetting);

/** TCP sockets in the network that a process is in. */
function socketsIn(pid: number): number {
  const [, count = "0"] = /^TCP: inuse (\d+)/m.exec(readKernelFile(`/proc/${pid}/net/sockstat`)) ?? [];
  return Number(count);
}

/** The ports of each arm in the order in which they were found. */
async function portsOf({ path }: RunDocument): Promise<Map<string, number[]>> {
  const { tables } = await readRun(path);
  const variants = tables.connects!.texts("variant");
  const ports = [...tables.connects!.numbers("port").entries()].filter(([_, port]) => !Number.isNaN(port));
  const byVariant = Map.groupBy(ports, ([row]) => variants[row]!);
  return new Map([...byVariant].map(([variant, rows]) => [variant, rows.map(([_, port]) => port)]));
}

function parities(ports: readonly number[], from: number, to: number): number[] {
  return [...new Set(ports.slice(from, to).map((port) => port % 2))].sort();
}

if (Deno.build.os === "linux") {
  Deno.test("lab run port-selection fills a range of its own, and each strategy finds ports in its order", async () => {
    using data = new TemporaryFolder();
    const before = settings();
    const document = await run(
      "port-selection",
      "--ports",
      "400",
      "--low",
      "30000",
      "--data",
      data.path,
      "--seed",
      "1",
    );
    assertEquals([document.status, document.environment!.isolation], ["complete", "namespace"]);
    assertEquals(settings(), before);

    const connections = valuesOf(document, "connections");
    const whole = [
      "plain",
      "bind-first",
      "bind-no-port",
      "select-test-repeat",
      "full-range",
      "udp",
      "plain/ipv6",
    ];
    assertEquals(whole.map((variant) => connections[variant]), whole.map(() => 400));
    assertEquals(connections["plain/2-sources"], 496);
    const errors = valuesOf(document, "errors");
    assertEquals(whole.map((variant) => errors[variant]), whole.map(() => 0));
    for (const variant of ["window/1-port", "window/17.7%"]) {
      assert(errors[variant]! > 0 && errors[variant]! === valuesOf(document, "localPortsExhausted")[variant]);
      assertEquals(connections[variant]! + errors[variant]!, 400);
    }

    const ports = await portsOf(document);
    for (const [variant, found] of ports) {
      const low = variant.includes("low-30001") ? 30_001 : 30_000;
      assert(found.every((port) => port >= low && port < low + 400), variant);
    }
    assertEquals(new Set(ports.get("full-range")).size, 400);
    // The kernel's order: the parity of the low port first for connect(), the other for bind().
    for (const variant of ["plain", "bind-no-port", "plain/ipv6"]) {
      assertEquals([parities(ports.get(variant)!, 0, 200), parities(ports.get(variant)!, 200, 400)], [[0], [
        1,
      ]]);
    }
    assertEquals([parities(ports.get("bind-first")!, 0, 200), parities(ports.get("bind-first")!, 200, 400)], [
      [1],
      [0],
    ]);
    assertEquals(parities(ports.get("plain/low-30001")!, 0, 200), [1]);
    assertEquals(parities(ports.get("plain/2-sources")!, 0, 400), [0]);

    assert(valuesOf(document, "portsInDoubleUse")["udp-reuse"]! > 0);
    assertEquals(valuesOf(document, "portsInDoubleUse").udp, 0);
    assert(valuesOf(document, "attemptsPerConnection")["select-test-repeat"]! > 2);
    assertEquals(
      document.claims.map(({ id }) => id),
      Array.from({ length: 10 }, (_, index) => `C${index + 1}`),
    );
    assertEquals(document.claims.filter(({ verdict }) => verdict === "not measured"), []);
    // It is counted; the others depend on times, which are another program's too.
    assertEquals(document.claims.find(({ id }) => id === "C7")!.verdict, "holds");
  });

  Deno.test("more sockets than one process has are kept by a holder, in the order in which they were connected", async () => {
    using data = new TemporaryFolder();
    const options = [
      "--ports",
      "17000",
      "--strategies",
      "full-range",
      "--compare",
      "none",
      "--data",
      data.path,
    ];
    const document = await run("port-selection", ...options);
    assertEquals(valuesOf(document, "connections"), { "full-range": 17_000 });
    assertEquals(new Set((await portsOf(document)).get("full-range")).size, 17_000);
  });

  Deno.test("threads that connect at once find every port once, in the run's own network", async () => {
    using data = new TemporaryFolder();
    const options = [
      "--ports",
      "600",
      "--strategies",
      "plain,bind-first",
      "--compare",
      "none",
      "--concurrent",
      "3",
    ];
    const document = await run("port-selection", ...options, "--data", data.path);
    assertEquals(valuesOf(document, "errors")["plain/3-threads"], 0);
    const ports = await portsOf(document);
    for (const variant of ["plain/3-threads", "bind-first/3-threads"]) {
      assertEquals(new Set(ports.get(variant)).size, 600);
      assert(ports.get(variant)!.every((port) => port >= 9024 && port < 9624));
    }
  });

  Deno.test("lab run port-selection refuses a range that there is not, before anything starts", async () => {
    using data = new TemporaryFolder();
    const refused = async (...args: string[]) => {
      const { code, out, err } = await lab("run", "port-selection", ...args, "--data", data.path, "--json");
      assertEquals([code, out, data.names], [2, "", []]);
      return err;
    };
    assertMatch(
      await refused("--low", "65000", "--ports", "2000"),
      /give --low 63536 or less, or fewer ports/,
    );
    assertMatch(await refused("--strategies", "plain,magic"), /plain, bind-first/);
    assertMatch(await refused("--family", "ipv6", "--sources", "2"), /the one address ::1/);
  });

  for (const [place, process] of PROCESSES.entries()) {
    Deno.test(`SIGKILL of ${process} while the range is full leaves no process, and the machine's settings`, async () => {
      using data = new TemporaryFolder();
      const before = settings();
      const options = [
        "--strategies",
        "bind-first",
        "--ports",
        "12000",
        "--compare",
        "none",
        "--data",
        data.path,
      ];
      await using started = new StartedLab(["run", "port-selection", ...options]);
      await started.underWay("0 % bind-first", PROCESSES.length);
      const measuring = family().at(-1)!;
      // Both ends of a connection are here: more than half of the ports are taken.
      await until(() => socketsIn(measuring) > 12_500, 60_000);
      await started.suffer("SIGKILL", place);
      assertEquals(isAlive(measuring), false);
      assertEquals(settings(), before);
    });
  }
}
