import { assert, assertEquals, assertGreaterOrEqual, assertMatch, assertStringIncludes } from "@std/assert";
import type { RunDocument } from "./run_text.ts";
import { isAlive, sendSignal } from "../system/mod.ts";
import { family, TemporaryFolder } from "../testing/mod.ts";
import { command, lab, NAPPING, type Outcome, outcome, ROOT, shell } from "./_task.ts";

for (const times of [1, 2]) {
  Deno.test(`Ctrl-C, ${times === 1 ? "once" : "twice in a row"}, keeps the run and ends every process`, async () => {
    using data = new TemporaryFolder();
    const child = command(["run", NAPPING, "--naps", "1000000", "--data", data.path, "--json"]).spawn();
    const [shown, rest] = child.stderr.tee();
    for await (const text of shown.pipeThrough(new TextDecoderStream())) if (text.includes("%")) break;
    const pids = family(child.pid);
    assertGreaterOrEqual(pids.length, 3);
    for (let time = 0; time < times; time++) sendSignal(child.pid, "SIGINT");
    const [out, err, { code }] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(rest).text(),
      child.status,
    ]);
    assertEquals(code, 130, err);
    const document: RunDocument = JSON.parse(out);
    assertEquals({ status: document.status, reason: document.reason }, {
      status: "incomplete",
      reason: "Interrupted",
    });
    assertEquals(pids.filter(isAlive), []);
    assertMatch((await lab("verify", "--data", data.path)).out, /: unverifiable\n/);
  });
}

/** Runs a script where it may mount, which not every machine lets a person do. */

Deno.test({
  name: "a hangup does not end a run without a terminal, as under nohup",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using data = new TemporaryFolder();
    const child = command(["run", NAPPING, "--naps", "300", "--data", data.path, "--json"]).spawn();
    const [shown, rest] = child.stderr.tee();
    for await (const text of shown.pipeThrough(new TextDecoderStream())) if (text.includes("%")) break;
    await shell(`kill -HUP ${child.pid} ${family(child.pid)[0]}`);
    const [out, err, { code }] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(rest).text(),
      child.status,
    ]);
    assertEquals(code, 0, err);
    assertEquals(JSON.parse(out).status, "complete");
  },
});

for (const redirected of ["2>/dev/full", "2>&-"]) {
  Deno.test({
    name: `a run goes on when what it says cannot be written (${redirected})`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      using data = new TemporaryFolder();
      const options = `--naps 3 --json --data ${data.path}`;
      const { code, out } = await shell(`deno task --quiet lab run ${NAPPING} ${options} ${redirected}`);
      assertEquals([code, JSON.parse(out).status], [0, "complete"]);
    },
  });
}

function inMountNamespace(script: string): Promise<Outcome> {
  const args = ["-rm", "sh", "-c", script];
  return outcome(new Deno.Command("unshare", { args, cwd: ROOT, stdin: "null" }).output());
}

async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  using folder = new TemporaryFolder();
  const mounted = inMountNamespace(`mount -t tmpfs tmpfs ${folder.path}`);
  return (await mounted.catch(() => null))?.code === 0;
}

Deno.test({
  name: "a disk that becomes full fails the run, keeps its rows and says so",
  ignore: !(await canMount()),
  async fn() {
    using folder = new TemporaryFolder();
    const data = `${folder.path}/data`;
    Deno.mkdirSync(data);
    // In a mount namespace of its own; what is on the disk is copied out before it goes.
    const script = `mount -t tmpfs -o size=32k tmpfs ${data}
      deno task --quiet lab run ${NAPPING} --naps 1000000 --data ${data}; echo "status $?"
      deno task --quiet lab verify --data ${data}; deno task --quiet lab show latest --data ${data}
      df ${data} | tail -1; ls ${data}/napping/*`;
    const { out, err } = await inMountNamespace(script);
    assertStringIncludes(out, "status 1", err);
    assertMatch(err, /The run is (failed|incomplete): .*No space left/);
    assertMatch(out, /rows: naps [1-9]\d+/);
    assertMatch(out, /napping\/\S+: unverifiable/);
    assert(!out.includes(".tmp"), out);
  },
});

Deno.test({
  name: "a machine on which no program is called deno cannot run anything: exit status 3",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { code, err } = await shell(
      'deno=$(command -v deno) PATH=/nowhere; exec "$deno" task --quiet lab doctor',
    );
    assertEquals(code, 3, err);
    assertMatch(err, /no program called deno is found\nAdd the folder of Deno to PATH\n$/);
  },
});
