import { assertEquals, assertGreater, assertRejects } from "@std/assert";
import { ColumnTable } from "../../record/mod.ts";
import { ServerProcess, until } from "../../testing/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { findMismatch } from "./accounts.ts";
import { type CellRow, cellsOf } from "./cell.ts";
import { holdIdle } from "./hold.ts";
import { measure } from "./measure.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";
import { valuesWith } from "./_testing.ts";
import experiment from "./mod.ts";
import type { ServerHandle, ServerSpec } from "../contract.ts";

const SERVERS = new URL("../../../servers/", import.meta.url);

/** The servers of a run, each after those that it has to know. */
class RunServers implements AsyncDisposable {
  readonly handles: Record<string, ServerProcess["announcement"]> = {};
  readonly #started = new Map<string, ServerProcess>();

  static async start(specs: readonly ServerSpec[]): Promise<RunServers> {
    const servers = new RunServers();
    try {
      for (const { name, flags } of specs) {
        const given = typeof flags === "function" ? flags(servers.handles) : flags;
        const server = await ServerProcess.start(new URL(`${name}.ts`, SERVERS), { flags: given });
        servers.#started.set(name, server);
        servers.handles[name] = server.announcement;
      }
      return servers;
    } catch (error) {
      await servers[Symbol.asyncDispose]();
      throw error;
    }
  }

  async end(name: string): Promise<void> {
    await this.#started.get(name)!.end();
    this.#started.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#started.values()].map((server) => server.end()));
  }
}

type Recording = RecordingContext<typeof tables>;

async function measured(
  changes: Partial<Values>,
  during: (recording: Recording, origin: ServerHandle) => unknown = () => {},
): Promise<Recording> {
  const values = valuesWith({ repeats: 1, ...changes });
  await using servers = await RunServers.start(experiment.servers!(values));
  const recording = new RecordingContext(tables, { servers: servers.handles });
  await Promise.all([measure(values, recording.context), during(recording, servers.handles.origin!)]);
  return recording;
}

function cellsIn({ rows }: Recording): CellRow[] {
  const table = (name: "pairs" | "fates") => {
    const made = new ColumnTable(name, tables[name]);
    for (const row of rows[name]) made.add(row);
    return made;
  };
  return cellsOf({ pairs: table("pairs"), fates: table("fates") });
}

function outcomes(recording: Recording, pauseMs: number): Record<string, string | null> {
  const cells = cellsIn(recording).filter((cell) => cell.pauseMs === pauseMs);
  return Object.fromEntries(cells.map(({ variant, outcome }) => [variant, outcome] as const).sort());
}

function visitsIn(recording: Recording): number[] {
  return recording.rows.visits.map(({ id }) => id as number);
}

const SHORT = 100;
const LONG = 1500;
const SHORT_PAIRS = 14;
const BOX = { middleboxIdle: 1000, pauses: [SHORT, LONG] };

Deno.test("measure() shows what each client meets where a middlebox forgets in silence, and accounts for every request", async () => {
  const recording = await measured(BOX);
  assertEquals(new Set(Object.values(outcomes(recording, SHORT))), new Set(["reused"]));
  assertEquals(outcomes(recording, LONG), {
    "direct/fetch/GET": "reused",
    "direct/fetch/POST": "reused",
    "direct/raw/never/GET": "reused",
    "direct/raw/never/POST": "reused",
    "direct/raw/retry/GET": "reused",
    "direct/raw/retry/POST": "reused",
    "middlebox/fetch/GET": "sent again",
    "middlebox/fetch/POST": "sent again",
    "middlebox/raw/never/GET": "reset",
    "middlebox/raw/never/POST": "reset",
    "middlebox/raw/retry/GET": "sent again",
    "middlebox/raw/retry/POST": "reset",
    "tuned/raw/never/GET": "new connection",
    "tuned/raw/never/POST": "new connection",
  });
  assertEquals(findMismatch(cellsIn(recording), visitsIn(recording)), null);
  assertEquals(recording.warnings.includes("accounts"), false);
  assertEquals(recording.warnings.filter((code) => code === "post-sent-again").length, 1);
  const through = cellsIn(recording).filter(({ variant }) => variant!.startsWith("middlebox/"));
  assertEquals(
    through.map(({ pauseMs, forgotten, closedBy }) => [pauseMs, forgotten, closedBy]).sort(),
    [...Array(6).fill([SHORT, false, null]), ...Array(6).fill([LONG, true, "middlebox"])],
  );
  assertGreater(recording.rows.flows.length, 0);
});

Deno.test("measure() sees the end that a server announces, and when it comes", async () => {
  const recording = await measured({ middleboxIdle: null, serverIdle: 500, pauses: [SHORT, 2500] });
  const late = cellsIn(recording).filter(({ pauseMs }) => pauseMs === 2500);
  assertEquals(new Set(late.map(({ outcome }) => outcome)), new Set(["new connection"]));
  const watching = late.filter(({ variant }) => variant!.startsWith("direct/raw/"));
  assertEquals(
    watching.map(({ noticed, closedBy }) => [noticed, closedBy]),
    Array(4).fill(["fin", "server"]),
  );
  const [held] = recording.rows.limits;
  assertEquals([held!.how, held!.chain], ["fin", "direct"]);
  assertEquals(recording.warnings.includes("post-sent-again"), false);
  assertGreater(held!.observedMs as number, 500);
});

Deno.test("measure() finds no limit where Deno.serve has none", async () => {
  const recording = await measured({ middleboxIdle: null, stack: "deno", pauses: [SHORT] });
  assertEquals(new Set(cellsIn(recording).map(({ outcome }) => outcome)), new Set(["reused"]));
  const [held] = recording.rows.limits;
  assertEquals([held!.advertisedMs, held!.observedMs], [null, null]);
  assertEquals(findMismatch(cellsIn(recording), visitsIn(recording)), null);
});

Deno.test("measure() that is interrupted in a pause returns at once, and keeps no half pair", async () => {
  const pauses = [3_600_000];
  const recording = await measured({ ...BOX, pauses, longestPause: 3_600_000 }, async ({ abort }, origin) => {
    const visits = async () => (await fetch(`http://${origin.hostname}:${origin.port}/visits`)).json();
    await until(async () => (await visits()).length === 14);
    abort.abort();
  });
  assertEquals([cellsIn(recording), visitsIn(recording).length], [[], 14]);
});

for (const name of ["origin", "middlebox"]) {
  Deno.test(`measure() keeps what clients saw of each pair that is over when its ${name} ends amid pauses`, async () => {
    const pauses = [SHORT, 3_600_000];
    const values = valuesWith({ ...BOX, repeats: 1, pauses, longestPause: 3_600_000 });
    await using servers = await RunServers.start(experiment.servers!(values));
    const recording = new RecordingContext(tables, { servers: servers.handles });
    const over = () => recording.rows.pairs.filter(({ pauseMs }) => pauseMs === SHORT);
    const failing = assertRejects(
      () => measure(values, recording.context),
      Error,
      `Cannot count at both ends as the ${name === "origin" ? "server" : name} does not tell what it saw: `,
    );
    await until(() => over().length === SHORT_PAIRS);
    await servers.end(name);
    recording.abort.abort();
    await failing;
    assertEquals(over().map(({ status }) => status), Array(SHORT_PAIRS).fill(200));
    assertEquals(recording.rows.fates, []);
    assertEquals(recording.rows.visits.length > 0, name === "middlebox");
  });
}

Deno.test("holdIdle() says that a connection was not answered, in place of an end that it did not see", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const target = { hostname: "127.0.0.1", port: listener.addr.port };
  const options = { limitMs: 10, timeoutMs: 5000, now: () => performance.now() };
  const { signal } = new AbortController();
  const closing = listener.accept().then((socket) => socket.close());
  const { failureKind, watchedMs } = await holdIdle(target, { ...options, signal });
  await closing;
  listener.close();
  assertEquals([failureKind !== null, watchedMs], [true, null]);
  const refused = await holdIdle(target, { ...options, signal });
  assertEquals([refused.failureKind, refused.how], ["refused", null]);
});
