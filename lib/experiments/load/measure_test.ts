import { assert, assertEquals } from "@std/assert";
import { libcPath, pause } from "../../system/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import { measure } from "./measure.ts";
import { params, type Values } from "./params.ts";
import { type Tables, tables } from "./tables.ts";
import { resolveParams } from "../../record/mod.ts";
import { readLatencies } from "../../load/mod.ts";

async function load(
  target: string,
  given: Record<string, unknown>,
  notes = new RecordingContext<Tables>(tables),
): Promise<RecordingContext<Tables>> {
  const { values } = resolveParams(params, { target, connections: 2, ...given });
  await measure(values as Values, notes.context);
  return notes;
}

/** A server in this process, ended with its block. */
function serve(handler: () => Response | Promise<Response>): AsyncDisposable & { readonly url: string } {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  return { url: `http://127.0.0.1:${server.addr.port}/`, [Symbol.asyncDispose]: () => server.shutdown() };
}

const CLIENTS = Deno.build.os === "linux" && libcPath() !== null ? ["epoll", "raw"] : ["raw"];

for (const client of CLIENTS) {
  Deno.test(`measure() makes as many requests as it is asked for, and keeps their rows: ${client}`, async () => {
    let served = 0;
    await using server = serve(() => {
      served++;
      return new Response("mine");
    });
    const { rows } = await load(server.url, { client, requests: 40, duration: "5s", rows: true });
    const [total] = rows.loads;
    const { sent, answered2xx, failed, unfinished, fresh, reused, bodyBytes } = total!;
    assertEquals({ sent, answered2xx, failed, unfinished, fresh, reused, bodyBytes }, {
      ...{ sent: 40, answered2xx: 40, failed: 0, unfinished: 0, fresh: 2, reused: 38, bodyBytes: 160 },
    });
    // One more: the first, which sees whether there is an answer at all.
    assertEquals([served, rows.requests.length], [41, 40]);
    assertEquals(new Set(rows.requests.map(({ status }) => status)), new Set([200]));
    assertEquals(rows.seconds.reduce((sum, row) => sum + (row.sent as number), 0), 40);
  });
}

Deno.test("measure() counts a stall of the server from when each request should have begun", async () => {
  let stalled = false;
  let served = 0;
  await using server = serve(async () => {
    if (++served === 20) {
      stalled = true;
      await pause(400);
    }
    return new Response("mine");
  });
  const { rows } = await load(server.url, {
    ...{ client: "raw", connections: 1, rate: 100, duration: "1s", timeout: "0s" },
  });
  assert(stalled);
  const times = (kind: "service" | "response") =>
    readLatencies(rows.seconds.map((row) => `${row[kind] ?? ""}`)).times
      .filter(({ ms }) => ms > 100).reduce((sum, { count }) => sum + count, 0);
  // The one that met it, by either clock; those that waited for it, by one alone.
  assert(times("service") < times("response") - 5, `${times("service")} and ${times("response")}`);
});

Deno.test("measure() keeps what a load did that was ended before its time", async () => {
  const notes = new RecordingContext<Tables>(tables);
  let served = 0;
  await using server = serve(() => {
    if (++served === 50) notes.abort.abort();
    return new Response("mine");
  });
  await load(server.url, { client: "raw", duration: "1h" }, notes);
  const [total] = notes.rows.loads;
  assert((total!.sent as number) >= 49);
});

Deno.test("measure() records a second when it is over, and every second once", async () => {
  const notes = new RecordingContext<Tables>(tables);
  let early = 0;
  await using server = serve(() => {
    early = notes.rows.seconds.length;
    if (early > 0) notes.abort.abort();
    return new Response("mine");
  });
  await load(server.url, { client: "raw", rate: 100, duration: "1h", threads: 2 }, notes);
  const { seconds, loads: [total] } = notes.rows;
  assert(early > 0 && early < seconds.length);
  assertEquals(seconds.map(({ second }) => second), [...seconds.keys()]);
  assertEquals(seconds.reduce((sum, { sent }) => sum + (sent as number), 0), total!.sent);
});

Deno.test("measure() warns of a target that answers with another status than success", async () => {
  await using server = serve(() => new Response("no", { status: 503 }));
  const { rows, warnings } = await load(server.url, { client: "raw", requests: 10, path: "/other" });
  assertEquals(rows.loads[0]!.answered5xx, 10);
  assert(warnings.includes("target-status"));
});
