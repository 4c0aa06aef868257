import { assert, assertEquals } from "@std/assert";
import { RawSocket, SocketAddress } from "../system/mod.ts";
import { respond, serveScript } from "../testing/mod.ts";
import { PLAN } from "./_made_report.ts";
import { Agenda } from "./agenda.ts";
import { epollEngine } from "./epoll_engine.ts";
import { Tally } from "./tally.ts";

Deno.test("epollEngine: the time may be up in the middle of a turn", async () => {
  await using server = serveScript((peer) => peer.gone());
  const plan = { ...PLAN, connections: 2, durationMs: 100 };
  const tally = new Tally(plan, { slots: 2, shard: 0, thread: 0 });
  // The load begins, and the first look at the clock after the first request finds it over.
  let looks = 0;
  const now = () => {
    if (++looks > 10) throw new Error("The engine goes round and round");
    return looks === 1 ? 0 : plan.durationMs;
  };
  const { hostname, port } = server;
  await epollEngine({
    plan,
    connections: 2,
    targets: [{ address: hostname, hostname, port, path: "/" }],
    agenda: new Agenda(null, { durationMs: plan.durationMs }),
    tally,
    now,
    goesOn: (nowMs) => nowMs < plan.durationMs,
  });
  assertEquals([tally.sent, tally.underWay], [1, 1]);
});

Deno.test("epollEngine: an answer that came in time is no time-out when the engine itself reads it late", async () => {
  // More than it takes from the system at once.
  const connections = 100;
  const address = "127.0.0.1";
  const opened = RawSocket.open();
  assert(opened.ok);
  using listener = opened.socket;
  assert(listener.bindTo(new SocketAddress(address, 0)) && listener.listen(connections));
  const plan = { ...PLAN, connections, timeoutMs: 1000, durationMs: 60_000 };
  const tally = new Tally(plan, { slots: connections, shard: 0, thread: 0 });
  const agenda = new Agenda(null, { durationMs: plan.durationMs, requests: connections });
  using stack = new DisposableStack();
  const answerAll = () => {
    for (let count = 0; count < connections; count++) {
      const accepted = listener.accept();
      assert(accepted.ok);
      stack.use(accepted.socket).send(new TextEncoder().encode(respond("")));
    }
  };
  // All requests are sent in the first turns. Then the engine is held up for longer than a request may take.
  let [turns, nowMs] = [0, 0];
  await epollEngine({
    plan,
    connections,
    targets: [{ address, hostname: address, port: listener.localPort, path: "/" }],
    agenda,
    tally,
    now: () => nowMs,
    goesOn() {
      if (++turns === 5) {
        answerAll();
        nowMs = 2 * plan.timeoutMs;
      }
      return tally.underWay > 0 || agenda.nextMs < Infinity;
    },
  });
  const { answered, failures } = tally.report({
    endMs: nowMs,
    unsent: 0,
    startMs: 0,
    cpuShare: null,
    waitShare: null,
  });
  assertEquals([answered[2], failures], [connections, []]);
});
