import { assert, assertEquals } from "@std/assert";
import { pause } from "../system/mod.ts";
import { answering, freePort, type Peer, respond, serveScript } from "../testing/mod.ts";
import { localGenerator } from "./local_generator.ts";
import { LOAD_CLIENTS, type LoadClient, type LoadPlan } from "./plan.ts";
import type { LoadReport } from "./report.ts";

const HOSTNAME = "127.0.0.1";

/** The clients that tell which connection a request used. */
const TELLING = ["epoll", "raw"] as const satisfies LoadClient[];

function planOf(client: LoadClient, changes: Partial<LoadPlan>): LoadPlan {
  return {
    client,
    method: "GET",
    connections: 1,
    arrivals: { loop: "closed" },
    durationMs: 30_000,
    requests: null,
    timeoutMs: null,
    threads: 1,
    keepRows: true,
    seed: 1,
    ...changes,
  };
}

async function load(plan: LoadPlan, port: number, signal?: AbortSignal): Promise<LoadReport> {
  const target = { address: HOSTNAME, hostname: HOSTNAME, port, path: "/here?a=b" };
  return await localGenerator().load(plan, [target], { signal: signal ?? new AbortController().signal });
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

for (const client of LOAD_CLIENTS) {
  Deno.test(`${client} makes the requests that it is asked for, over the connections that it may have`, async () => {
    await using server = serveScript(answering(respond("hello")));
    const report = await load(planOf(client, { connections: 3, requests: 40, threads: 2 }), server.port);
    const { sent, answered, failures, unfinished, unsent, bodyBytes } = report;
    assertEquals({ sent, answered: answered[2], failures, unfinished, unsent, bodyBytes }, {
      sent: 40,
      answered: 40,
      failures: [],
      unfinished: 0,
      unsent: 0,
      bodyBytes: 200,
    });
    assertEquals(server.heads.length, 40);
    assert(server.heads.every((head) => head.startsWith("GET /here?a=b HTTP/1.1\r\n")));
    assert(server.accepted <= 3, `${server.accepted}`);
    if (client !== "fetch") assertEquals(report.fresh, server.accepted);
    assertEquals(report.generator.connections, client === "fetch" ? null : server.accepted);
  });

  Deno.test(`${client} tells answers of other bytes apart`, async () => {
    const answers = [
      respond("short"),
      respond("short"),
      `HTTP/1.1 404 Not Found\r\ncontent-length: 5000\r\n\r\n${"x".repeat(5000)}`,
      respond("short"),
      respond("other"),
      "HTTP/1.1 500 Oh dear\r\ncontent-length: 1\r\n\r\nx",
      respond("short"),
    ];
    let next = 0;
    await using server = serveScript(async (peer) => {
      while (await peer.request()) await peer.say(answers[next++]!);
    });
    const { rows, bodyBytes } = await load(planOf(client, { requests: answers.length }), server.port);
    assertEquals(rows!.map(({ status }) => status), [200, 200, 404, 200, 200, 500, 200]);
    assertEquals(bodyBytes, 5 * 5 + 5000 + 1);
  });

  Deno.test(`${client} tells a port at which nothing listens, and does not try without a pause`, async () => {
    const { sent, failures, elapsedMs } = await load(planOf(client, { durationMs: 200 }), freePort());
    assertEquals(failures.map(({ phase, kind, side }) => ({ phase, kind, side })), [
      { phase: "connect", kind: "refused", side: "server" },
    ]);
    assert(sent >= 1 && sent <= 1 + elapsedMs / 10, `${sent} in ${elapsedMs} ms`);
  });

  Deno.test(`${client} counts what is on its way when it is stopped as unfinished`, async () => {
    const stop = new AbortController();
    let begun = 0;
    await using server = serveScript(async (peer) => {
      await peer.request();
      if (++begun === 2) stop.abort();
      await peer.gone();
    });
    const { sent, answered, failures, unfinished } = await load(
      planOf(client, { connections: 2 }),
      server.port,
      stop.signal,
    );
    assertEquals({ sent, answered: sum(answered), failures, unfinished }, {
      sent: 2,
      answered: 0,
      failures: [],
      unfinished: 2,
    });
  });

  Deno.test(`${client} keeps the intended start of requests that a stall of the server holds up`, async () => {
    let begun = 0;
    await using server = serveScript(async (peer) => {
      while (await peer.request()) {
        // Until all are due.
        if (++begun === 2) await pause(100);
        await peer.say(respond("hello"));
      }
    });
    const arrivals = { loop: "open", ratePerSecond: 100, spacing: "constant" } as const;
    const { rows, sent, unsent } = await load(planOf(client, { arrivals, requests: 8 }), server.port);
    assertEquals({ sent, unsent }, { sent: 8, unsent: 0 });
    assertEquals(rows!.map(({ intendedMs }) => intendedMs), [0, 10, 20, 30, 40, 50, 60, 70]);
    for (const { intendedMs, startMs } of rows!) assert(startMs >= intendedMs);
    const endMs = rows![1]!.endMs!;
    for (const { startMs } of rows!.slice(2)) {
      assert(startMs >= endMs, "begins before its connection is free");
    }
  });

  Deno.test(`${client} lasts as long as it should though none of its requests comes in the last part`, async () => {
    await using server = serveScript(answering(respond("hello")));
    // One at 0 ms; the next would come after the end.
    const arrivals = { loop: "open", ratePerSecond: 0.001, spacing: "constant" } as const;
    for (const requests of [null, 5]) {
      const { sent, answered, elapsedMs, lastEndMs } = await load(
        planOf(client, { arrivals, requests, connections: 2, threads: 2, durationMs: 300 }),
        server.port,
      );
      assertEquals({ sent, answered: answered[2], elapsedMs }, { sent: 1, answered: 1, elapsedMs: 300 });
      assert(lastEndMs < elapsedMs);
    }
    // All that were asked for have begun: there is nothing to wait for.
    const bounded = await load(planOf(client, { arrivals, requests: 1 }), server.port);
    assertEquals(bounded.sent, 1);
    assert(bounded.elapsedMs < 30_000);
  });

  Deno.test(`${client} leaves unsent what was due and found no connection free`, async () => {
    await using server = serveScript((peer) => peer.gone());
    const arrivals = { loop: "open", ratePerSecond: 100, spacing: "poisson" } as const;
    const { sent, unsent, unfinished, fresh } = await load(
      planOf(client, { arrivals, requests: 6, durationMs: 200 }),
      server.port,
    );
    assertEquals({ sent, unfinished, fresh }, {
      sent: 1,
      unfinished: 1,
      fresh: client === "fetch" ? null : 1,
    });
    assertEquals(unsent, 5);
  });
}

for (const client of TELLING) {
  Deno.test(`${client} opens a connection for each request where the server announces its end`, async () => {
    await using server = serveScript(async (peer: Peer) => {
      if (await peer.request()) await peer.say(respond("hello", "connection: close\r\n"));
    });
    const { sent, fresh, reused, failures } = await load(
      planOf(client, { connections: 2, requests: 10 }),
      server.port,
    );
    assertEquals({ sent, fresh, reused, failures }, { sent: 10, fresh: 10, reused: 0, failures: [] });
    assertEquals(server.accepted, 10);
  });

  Deno.test(`${client} notices that a connection has ended while it was idle`, async () => {
    await using server = serveScript(async (peer: Peer) => {
      if (await peer.request()) await peer.say(respond("hello"));
    });
    // The end has half a second to arrive, on a machine that may be busy.
    const arrivals = { loop: "open", ratePerSecond: 2, spacing: "constant" } as const;
    const { sent, fresh, failures } = await load(planOf(client, { arrivals, requests: 2 }), server.port);
    assertEquals({ sent, fresh, failures }, { sent: 2, fresh: 2, failures: [] });
  });
}
