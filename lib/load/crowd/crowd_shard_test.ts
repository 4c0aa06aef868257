import { assert, assertEquals, assertRejects } from "@std/assert";
import { answering, freePort, type Peer, respond, serveScript, until } from "../../testing/mod.ts";
import type { CrowdPlan, CrowdRow } from "../crowd_plan.ts";
import type { HeldCrowd } from "../generator.ts";
import { crowdShard } from "./crowd_shard.ts";

const HOSTNAME = "127.0.0.1";
const CLIENTS = ["epoll", "raw"] as const;

function hold(
  plan: Partial<CrowdPlan>,
  ports: readonly number[],
  signal: AbortSignal = new AbortController().signal,
): Promise<HeldCrowd> {
  const whole: CrowdPlan = {
    client: "epoll",
    connections: 10,
    behaviour: { kind: "idle" },
    burst: 4,
    timeoutMs: null,
    ...plan,
  };
  const targets = ports.map((port) => ({ address: HOSTNAME, hostname: HOSTNAME, port, path: "/here" }));
  return crowdShard(whole, { index: 0, count: 1, startMs: 0, targets }, { signal });
}

/** The one thing that became of every row. */
function same<T>(rows: readonly CrowdRow[], of: (row: CrowdRow) => T): T {
  const [first, ...others] = rows.map(of);
  for (const other of others) assertEquals(other, first);
  return first!;
}

const silent = (peer: Peer) => peer.gone();

/** What servers do wrong, and what is told of it: phase, kind, side, status. */
const WRONG: Readonly<
  Record<string, { script: (peer: Peer) => Promise<void>; fate: readonly (string | number | null)[] }>
> = {
  "ends without an answer": {
    script: async (peer) => void await peer.request(),
    fate: ["wait", "closed-early", "server", null],
  },
  "ends in the middle of one": {
    async script(peer) {
      await peer.request();
      await peer.say("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe");
    },
    fate: ["receive", "closed-early", "server", 200],
  },
  "answers garbage": {
    async script(peer) {
      await peer.request();
      await peer.say("220 ready\r\n\r\n");
      await peer.gone();
    },
    fate: ["wait", "bad-response", "server", null],
  },
};

for (const client of CLIENTS) {
  Deno.test(`${client} holds idle connections that were answered, over all targets in turn, until it is disposed of`, async () => {
    await using one = serveScript(answering(respond("hello")));
    await using other = serveScript(answering(respond("")));
    {
      await using crowd = await hold({ client, connections: 21 }, [one.port, other.port]);
      assertEquals([one.accepted, other.accepted, one.open, other.open], [11, 10, 11, 10]);
      assertEquals(await crowd.counts(), { begun: 21, opened: 21, failed: 0, open: 21, closed: 0 });
      const rows = await crowd.rows();
      assertEquals(rows.map(({ connection }) => connection), Array.from({ length: 21 }, (_, index) => index));
      const fate = same(
        rows,
        ({ shard, status, failure, closedMs }) => ({ shard, status, failure, closedMs }),
      );
      assertEquals(fate, { shard: 0, status: 200, failure: null, closedMs: null });
      assert(rows.every(({ startMs, connectMs, openMs }) => startMs + connectMs! <= openMs!));
      assertEquals(one.heads[0], `GET /here HTTP/1.1\r\nhost: ${HOSTNAME}:${one.port}\r\n\r\n`);
      assertEquals(one.heads.length, 11);
    }
    await until(() => one.open === 0 && other.open === 0);
  });

  Deno.test(`${client} opens no more at once than it may`, async () => {
    let [unanswered, most] = [0, 0];
    await using server = serveScript(async (peer) => {
      await peer.request();
      most = Math.max(most, ++unanswered);
      await new Promise((wake) => setTimeout(wake));
      unanswered--;
      await peer.say(respond("hello"));
      await peer.gone();
    });
    await using crowd = await hold({ client, connections: 40, burst: 3 }, [server.port]);
    assertEquals((await crowd.counts()).open, 40);
    assert(most >= 1 && most <= 3, `${most}`);
  });

  Deno.test(`${client} sees that the server ends connections that it holds`, async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    await using server = serveScript(async (peer) => {
      await peer.request();
      await peer.say(respond("hello"));
      await told;
    });
    await using crowd = await hold({ client }, [server.port]);
    assertEquals((await crowd.counts()).closed, 0);
    tell();
    await until(async () => (await crowd.counts()).closed === 10);
    assertEquals((await crowd.counts()).open, 0);
    assertEquals(same(await crowd.rows(), ({ openMs, closedMs }) => openMs! <= closedMs!), true);
  });

  Deno.test(`${client} leaves slow requests waiting, and tells the answer that comes after all`, async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    await using server = serveScript(async (peer) => {
      await peer.request();
      await told;
      await peer.say(respond("late"));
      await peer.gone();
    });
    await using crowd = await hold({ client, behaviour: { kind: "slow" } }, [server.port]);
    await until(() => server.heads.length === 10);
    assertEquals(await crowd.counts(), { begun: 10, opened: 10, failed: 0, open: 10, closed: 0 });
    assertEquals(same(await crowd.rows(), ({ status, failure }) => [status, failure]), [null, null]);
    tell();
    await until(async () => (await crowd.rows()).every(({ status }) => status === 200));
  });

  Deno.test(`${client} sends headers that never end, a byte at a time, until the server has had enough`, async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    await using server = serveScript(async (peer) => {
      await Promise.race([peer.request(), told]);
      await peer.say("HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n");
    });
    const behaviour = { kind: "half-header", dripMs: 5 } as const;
    await using crowd = await hold({ client, behaviour }, [server.port]);
    const begun = `GET /here HTTP/1.1\r\nhost: ${HOSTNAME}:${server.port}\r\nx-drip: `.length;
    await until(async () => (await crowd.rows()).every(({ sentBytes }) => sentBytes >= begun + 3));
    assertEquals([server.heads.length, (await crowd.counts()).open], [0, 10]);
    tell();
    await until(async () => (await crowd.counts()).closed === 10);
    assertEquals(same(await crowd.rows(), ({ status }) => status), 408);
  });

  Deno.test(`${client} announces a body that never comes`, async () => {
    await using server = serveScript(silent);
    await using heard = serveScript(async (peer) => {
      await peer.request();
      await peer.gone();
    });
    const behaviour = { kind: "half-body" } as const;
    await using crowd = await hold({ client, behaviour }, [server.port, heard.port]);
    await until(() => heard.heads.length === 5);
    assertEquals((await crowd.counts()).open, 10);
    assertEquals(
      heard.heads[0],
      `POST /here HTTP/1.1\r\nhost: ${HOSTNAME}:${heard.port}\r\ncontent-length: 1048576\r\n\r\n`,
    );
  });

  Deno.test(`${client} tells of each server what it does wrong while a connection is opened`, async () => {
    await using stack = new AsyncDisposableStack();
    const servers = Object.values(WRONG).map(({ script }) => stack.use(serveScript(script)));
    const ports = [freePort(), ...servers.map(({ port }) => port)];
    await using crowd = await hold({ client, connections: 2 * ports.length }, ports);
    assertEquals(await crowd.counts(), { begun: 8, opened: 0, failed: 8, open: 0, closed: 0 });
    const rows = await crowd.rows();
    const fates = ports.map((_, target) =>
      same(
        rows.filter(({ connection }) => connection % ports.length === target),
        ({ phase, failure, side, status, connectMs }) => [phase, failure, side, status, connectMs === null],
      )
    );
    const expected = Object.values(WRONG).map(({ fate }) => [...fate, false]);
    assertEquals(fates, [["connect", "refused", "server", null, true], ...expected]);
    // It lets go of what has failed.
    await until(() => servers.every(({ open }) => open === 0));
  });

  Deno.test(`${client} gives up a connection that is not answered in time`, async () => {
    await using server = serveScript(silent);
    await using crowd = await hold({ client, connections: 4, timeoutMs: 200 }, [server.port]);
    assertEquals(await crowd.counts(), { begun: 4, opened: 0, failed: 4, open: 0, closed: 0 });
    const fate = same(await crowd.rows(), ({ phase, failure, side }) => [phase, failure, side]);
    assertEquals(fate, ["wait", "timed-out", "unknown"]);
    await until(() => server.open === 0);
  });

  Deno.test(`${client} opens a connection whose answer ends with it, and sees it end`, async () => {
    await using server = serveScript(async (peer) => {
      await peer.request();
      await peer.say("HTTP/1.0 200 OK\r\n\r\nhello");
    });
    await using crowd = await hold({ client }, [server.port]);
    assertEquals(await crowd.counts(), { begun: 10, opened: 10, failed: 0, open: 0, closed: 10 });
    assertEquals(same(await crowd.rows(), ({ failure }) => failure), null);
  });

  Deno.test(`${client} gives up opening when it is to stop, and closes everything`, async () => {
    await using server = serveScript(silent);
    const stop = new AbortController();
    const crowd = hold({ client }, [server.port], stop.signal);
    await until(() => server.open === 4);
    stop.abort(new Error("Enough"));
    await assertRejects(() => crowd, Error, "Enough");
    await until(() => server.open === 0);
    assertEquals(server.accepted, 4);
  });
}

Deno.test("several crowds are held side by side, each with counts of its own", async () => {
  await using server = serveScript(answering(respond("hello")));
  await using first = await hold({ connections: 7 }, [server.port]);
  {
    await using second = await hold({ connections: 5 }, [server.port]);
    assertEquals([(await first.counts()).open, (await second.counts()).open, server.open], [7, 5, 12]);
  }
  await until(() => server.open === 7);
  assertEquals((await first.counts()).open, 7);
});

Deno.test("a shard holds its part of a plan, and its turn of the targets", async () => {
  await using one = serveScript(answering(respond("")));
  await using other = serveScript(answering(respond("")));
  const targets = [one, other].map(({ port }) => ({
    address: HOSTNAME,
    hostname: HOSTNAME,
    port,
    path: "/",
  }));
  const plan: CrowdPlan = {
    client: "epoll",
    connections: 8,
    behaviour: { kind: "idle" },
    burst: 1,
    timeoutMs: null,
  };
  const { signal } = new AbortController();
  await using crowd = await crowdShard(plan, { index: 1, count: 3, startMs: Date.now(), targets }, {
    signal,
  });
  const rows = await crowd.rows();
  assertEquals(rows.map(({ shard, connection }) => [shard, connection]), [[1, 0], [1, 1], [1, 2]]);
  // The fourth connection of all is its first.
  assertEquals([one.accepted, other.accepted], [1, 2]);
});

Deno.test("fetch makes the requests, and does not tell of connections", async () => {
  await using server = serveScript(answering(respond("hello")));
  await using crowd = await hold({ client: "fetch" }, [server.port]);
  assertEquals(await crowd.counts(), { begun: 10, opened: 10, failed: 0, open: null, closed: null });
  assertEquals(same(await crowd.rows(), ({ status, connectMs }) => [status, connectMs]), [200, null]);
  assertEquals(server.heads.length, 10);
  assert(server.accepted <= 4, `${server.accepted}`);
});

Deno.test("fetch leaves slow requests waiting", async () => {
  await using server = serveScript(silent);
  {
    await using crowd = await hold({ client: "fetch", behaviour: { kind: "slow" } }, [server.port]);
    await until(() => server.open === 10);
    assertEquals(same(await crowd.rows(), ({ openMs, failure }) => [openMs, failure]), [null, null]);
  }
  await until(() => server.open === 0);
});

Deno.test("what cannot be done is refused", async () => {
  const behaviour = { kind: "half-header", dripMs: null } as const;
  await assertRejects(() => hold({ client: "fetch", behaviour }, [1]), TypeError, "whole requests only");
  await assertRejects(() => hold({ burst: 0 }, [1]), RangeError, "burst must be an integer >= 1");
  await assertRejects(
    () => hold({ connections: 1.5 }, [1]),
    RangeError,
    "connections must be an integer >= 0",
  );
  await using none = await hold({ connections: 0 }, [1]);
  assertEquals((await none.counts()).begun, 0);
});
