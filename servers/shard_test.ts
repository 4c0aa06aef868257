import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  type CrowdPlan,
  type Generator,
  type LoadPlan,
  type LoadTarget,
  shardedGenerator,
} from "../lib/load/mod.ts";
import { libcPath, sendSignal } from "../lib/system/mod.ts";
import { answering, freePort, respond, ServerProcess, serveScript, until } from "../lib/testing/mod.ts";

const SHARD = new URL("./shard.ts", import.meta.url);
const LAB = new URL("../", import.meta.url).pathname;
const HOSTNAME = "127.0.0.1";

const CROWD: CrowdPlan = {
  client: "epoll",
  connections: 20,
  behaviour: { kind: "idle" },
  burst: 8,
  timeoutMs: null,
};

const LOAD: LoadPlan = {
  client: "epoll",
  method: "GET",
  connections: 4,
  arrivals: { loop: "closed" },
  durationMs: 30_000,
  requests: 100,
  timeoutMs: null,
  threads: 1,
  keepRows: true,
  seed: 1,
};

function startShard(flags: readonly string[] = []): Promise<ServerProcess> {
  const rights = [`--allow-ffi=${libcPath()}`, `--allow-read=${LAB}`];
  return ServerProcess.start(SHARD, { flags, rights });
}

function generatorOf(ports: readonly number[]): Promise<Generator> {
  const { signal } = new AbortController();
  return shardedGenerator(ports.map((port) => ({ hostname: HOSTNAME, port })), { signal });
}

const targetOf = ({ port }: { port: number }): LoadTarget => ({
  address: HOSTNAME,
  hostname: HOSTNAME,
  port,
  path: "/",
});

if (Deno.build.os === "linux") {
  Deno.test("shards make a load and hold a crowd together, and end what they do with whoever asked for it", async () => {
    await using one = await startShard();
    await using other = await startShard();
    await using server = serveScript(answering(respond("hello")));
    const { signal } = new AbortController();
    const heard: number[] = [];
    {
      await using generator = await generatorOf([one.port, other.port]);
      const report = await generator.load(LOAD, [targetOf(server)], { signal });
      assertEquals([report.sent, report.answered[2], report.rows!.length, report.lost], [100, 100, 100, []]);
      assertEquals(report.fresh, server.accepted);
      assertEquals(new Set(report.rows!.map(({ shard }) => shard)), new Set([0, 1]));
      assertEquals(server.heads.length, 100);
      await until(() => server.open === 0);

      const onProgress = ({ begun }: { begun: number }) => void heard.push(begun);
      const first = await generator.crowd(CROWD, [targetOf(server)], { signal, onProgress });
      await using second = await generator.crowd({ ...CROWD, connections: 3 }, [targetOf(server)], {
        signal,
      });
      assertEquals(await first.counts(), { begun: 20, opened: 20, failed: 0, open: 20, closed: 0 });
      assertEquals([(await second.counts()).open, server.open], [3, 23]);
      const rows = await first.rows();
      const expected = [0, 1].flatMap((shard) => Array.from({ length: 10 }, (_, index) => [shard, index]));
      assertEquals(rows.map(({ shard, connection }) => [shard, connection]), expected);
      await second[Symbol.asyncDispose]();
      await until(() => server.open === 20);
      assert(heard.every((begun) => begun <= 20));
    }
    // The first crowd was not disposed of: its holder has lost who asked for it.
    await until(() => server.open === 0);
  });

  Deno.test("what a shard did that was killed is told of, and the rest is kept", async () => {
    await using one = await startShard();
    await using other = await startShard();
    await using server = serveScript(answering(respond("hello")));
    const { signal } = new AbortController();
    await using generator = await generatorOf([one.port, other.port]);
    await using crowd = await generator.crowd(CROWD, [targetOf(server)], { signal });
    const stop = new AbortController();
    const plan = { ...LOAD, requests: null, durationMs: 60_000 };
    const load = generator.load(plan, [targetOf(server)], { signal: stop.signal });
    await until(() => server.heads.length > 1000);
    sendSignal(one.announcement.pid, "SIGKILL");
    await until(() => crowd.lost.length === 1);
    assertEquals(crowd.lost, [{ index: 0, reason: "its control connection ended" }]);
    assertEquals((await crowd.counts()).open, 10);
    assertEquals(new Set((await crowd.rows()).map(({ shard }) => shard)), new Set([1]));
    stop.abort();
    const report = await load;
    assertEquals(report.lost, crowd.lost);
    assertEquals(new Set(report.rows!.map(({ shard }) => shard)), new Set([1]));
    await until(() => server.open === 10);

    sendSignal(other.announcement.pid, "SIGKILL");
    await until(() => crowd.lost.length === 2);
    await assertRejects(() => crowd.counts(), Error, "every shard that held a part of it has gone");
    await assertRejects(
      () => generator.load(LOAD, [targetOf(server)], { signal }),
      Error,
      "none of them can",
    );
  });

  Deno.test("a load in shards ends before its time, with what there was until then", async () => {
    await using shard = await startShard();
    await using server = serveScript(answering(respond("hello")));
    const stop = new AbortController();
    await using generator = await generatorOf([shard.port]);
    const plan = { ...LOAD, requests: null, durationMs: 60_000 };
    const load = generator.load(plan, [targetOf(server)], { signal: stop.signal });
    await until(() => server.heads.length > 10);
    stop.abort();
    const { sent, elapsedMs } = await load;
    assert(sent > 10 && elapsedMs < 60_000, `${sent} in ${elapsedMs} ms`);
    await assertRejects(() => generator.crowd(CROWD, [targetOf(server)], { signal: stop.signal }));
    await until(() => server.open === 0);
  });

  Deno.test("a shard without a free descriptor keeps what it holds, and serves whoever asks when there is one", async () => {
    await using shard = await startShard(["--fds", "64"]);
    await using server = serveScript(answering(respond("hello")));
    const { signal } = new AbortController();
    await using generator = await generatorOf([shard.port]);
    const crowd = await generator.crowd({ ...CROWD, connections: 80 }, [targetOf(server)], { signal });
    const failed = (await crowd.rows()).filter(({ failure }) => failure !== null);
    assert(failed.length > 0);
    const ends = new Set(failed.map(({ phase, failure, side }) => `${phase} ${failure} ${side}`));
    assertEquals([...ends], ["connect descriptors-exhausted client"]);
    await using other = await generatorOf([shard.port]);
    const load = other.load({ ...LOAD, requests: 4 }, [targetOf(server)], { signal });
    assertEquals([await crowd.counts().then(({ open }) => open), crowd.lost], [80 - failed.length, []]);
    await crowd[Symbol.asyncDispose]();
    assertEquals((await load).sent, 4);
  });

  Deno.test("a shard connects only where it has the right to", async () => {
    await using shard = await startShard();
    await using generator = await generatorOf([shard.port]);
    const elsewhere = { ...targetOf({ port: 80 }), address: "192.0.2.1" };
    const { signal } = new AbortController();
    const reason = "Cannot connect to 192.0.2.1:80 as the right to is missing";
    // It is there, so that this is no loss.
    const errors = [
      await assertRejects(() => generator.crowd(CROWD, [elsewhere], { signal }), Error),
      await assertRejects(() => generator.load(LOAD, [elsewhere], { signal }), Error),
    ];
    assertEquals(errors.map(({ message }) => message), [reason, reason]);
  });
}

Deno.test("shards that cannot be reached are lost from the beginning", async () => {
  await assertRejects(() => generatorOf([]), RangeError, "there is none");
  await assertRejects(() => generatorOf([freePort()]), Error, "it cannot be reached: Connection refused");
});

Deno.test("it takes few flags", async () => {
  const helped = await ServerProcess.run(SHARD, ["--help"]);
  assertEquals(helped.code, 0);
  assertMatch(helped.output, /^Makes a part of a load/);
  const { code, complaints } = await ServerProcess.run(SHARD, ["--shards", "3"]);
  assertEquals(code, 2);
  assertMatch(complaints, /Cannot start shard as there is no flag --shards/);
});
