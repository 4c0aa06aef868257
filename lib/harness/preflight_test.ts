import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { CannotRunHereError, MisuseError } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import { type PlannedRun, planRun } from "./plan.ts";
import { type Machine, preflight } from "./preflight.ts";
import type { RunRequest, SupervisorEvent } from "./protocol.ts";
import { previewRun, startRun } from "./start.ts";

const DEMANDING = import.meta.resolve("./fixtures/demanding.ts");
const ROOMY: Machine = { descriptors: 20_000, ephemeralPorts: 28_232, load: 0, processors: 2 };

function request(params: Record<string, unknown>, more: Partial<RunRequest> = {}): RunRequest {
  return requestFor(DEMANDING, { params, ...more });
}

function plan(params: Record<string, unknown>, more: Partial<RunRequest> = {}): Promise<PlannedRun> {
  return planRun(request(params, more), () => 7);
}

Deno.test("planRun() refuses what an experiment asks for and cannot have", async () => {
  const cases: [demand: string, message: string][] = [
    ["server", "Cannot run demanding as there is no server orogin: did it mean origin?"],
    ["namesakes", "Cannot run demanding as two of its servers are called origin"],
    ["budget", "Cannot run demanding as its budgetMs must be a number above 0: current value is Infinity"],
    ["trouble", "Cannot run demanding as its needs failed: The list is lost"],
    ["elsewhere", "Cannot run demanding as its namespace must be one of none, own, link: current value is"],
    ["network", "Cannot run demanding as its server far is to be in network a, and only a run that requires"],
    ["perhaps", "Cannot run demanding as its server far is to be in network a, and only a run that requires"],
  ];
  for (const [demand, message] of cases) {
    await assertRejects(() => plan({ demand }), MisuseError, message);
  }
  assertEquals((await plan({}, { seed: null })).plan.seed, 7);
});

Deno.test("planRun() names a parameter as the person wrote it", async () => {
  const misspelt = (asOptions: boolean) => plan({ demand: "peace" }, { asOptions });
  await assertRejects(() => misspelt(true), MisuseError, "Cannot use --demand as it must be");
  await assertRejects(() => misspelt(false), MisuseError, "Cannot use demand as it must be");
});

Deno.test("preflight() lets pass what the machine can carry, and warns when it is busy", async () => {
  const planned = await plan({});
  assertEquals(preflight(planned, ROOMY), []);
  const [warning] = preflight(planned, { ...ROOMY, load: 1.6 });
  assertEquals(warning?.code, "busy-machine");
});

Deno.test("preflight() holds every process against the descriptor limit, and connections against the ports", async () => {
  const handshakes = (rounds: number) =>
    plan({ rounds }, { experiment: "handshake-cost" }).then((planned) =>
      preflight(planned, { ...ROOMY, descriptors: 1024 })
    );
  assertEquals(await handshakes(10), []);
  await assertRejects(
    () => handshakes(400),
    CannotRunHereError,
    "Cannot run handshake-cost as its server origin needs",
  );
  const many = await plan({ demand: "descriptors" });
  assertThrows(() => preflight(many, ROOMY), CannotRunHereError, "and a process may have 20000");
  assertEquals(preflight(many, { ...ROOMY, descriptors: Infinity }), []);
  const few = await plan({});
  assertThrows(
    () => preflight(few, { ...ROOMY, descriptors: 64 }),
    CannotRunHereError,
    "as its measuring process needs 96 file descriptors at once",
  );
  const shards = await plan({ shards: 64, target: "http://127.0.0.1/", connections: 64 }, {
    experiment: "load",
  });
  const shortage = assertThrows(
    () => preflight(shards, { ...ROOMY, descriptors: 300 }),
    CannotRunHereError,
    "as its supervisor needs 301 file descriptors at once",
  );
  assertMatch(shortage.remedy, /^Ask for fewer servers or processes of the client, or raise/);
  assertEquals(preflight(shards, { ...ROOMY, descriptors: 301 }), []);
  const wide = await plan({ demand: "ports" });
  assertThrows(() => preflight(wide, ROOMY), CannotRunHereError, "and the system has 28232 ports for them");
});

Deno.test("preflight() names the number of processes that a crowd is to be split over, when one is enough", async () => {
  const remedyFor = async (guests: number, machine: Partial<Machine> = {}, asOptions = true) => {
    const planned = await plan({ demand: "crowd", guests }, { asOptions });
    return assertThrows(() => preflight(planned, { ...ROOMY, ...machine }), CannotRunHereError).remedy;
  };
  // Three would do, but 50,000 are not split evenly over as many.
  assertMatch(await remedyFor(50_000), /^Split it over 4 processes \(--shards 4\)\. Ask for fewer/);
  assertMatch(await remedyFor(50_000, {}, false), /^Split it over 4 processes \(shards: 4\)\./);
  const ports = { descriptors: Infinity, ephemeralPorts: 10_000 };
  assertMatch(
    await remedyFor(50_000, ports),
    /^Split it over 5 processes \(--shards 5\)\. .*ip_local_port_range/,
  );
  assertMatch(await remedyFor(1_000_000), /^Ask for fewer connections/);
});

Deno.test("preflight() refuses a right that cannot be named", async () => {
  const planned = await plan({ demand: "comma" });
  assertThrows(() => preflight(planned, ROOMY), CannotRunHereError, "cannot hold its comma");
});

if (Deno.build.os === "linux") {
  Deno.test("what this machine cannot carry is refused with a remedy before anything is made", async () => {
    using folder = new TemporaryFolder();
    for (
      const [demand, remedy] of [["descriptors", /ulimit -Hn/], ["ports", /ip_local_port_range/]] as const
    ) {
      const events: SupervisorEvent[] = [];
      const run = () =>
        startRun(request({ demand }, { dataDirectory: folder.path }), {
          onEvent: (event) => void events.push(event),
        });
      const error = await assertRejects(run, CannotRunHereError);
      assertMatch(error.remedy, remedy);
      assertEquals(events.map(({ type }) => type), ["refused"]);
    }
    assertEquals(folder.names, []);
  });
}

for (
  const [name, value] of [
    ["DENO_CERT", "/nowhere/ca.pem"],
    ["DENO_CERT", "/"],
    ["DENO_CERT", ""],
    ["DENO_TLS_CA_STORE", "nobody"],
  ] as const
) {
  Deno.test(`${name}="${value}", which Deno cannot load, is named before anything is made`, async () => {
    using folder = new TemporaryFolder();
    const before = Deno.env.get(name);
    Deno.env.set(name, value);
    try {
      for (const ask of [previewRun, startRun]) {
        const asked = ask(request({}, { dataDirectory: folder.path }));
        const error = await assertRejects(() => asked, CannotRunHereError, "the certificates that it trusts");
        assertMatch(error.remedy, new RegExp(name));
      }
    } finally {
      if (before === undefined) Deno.env.delete(name);
      else Deno.env.set(name, before);
    }
    assertEquals(folder.names, []);
  });
}
