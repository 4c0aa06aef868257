import { dirname } from "node:path";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { CannotRunHereError } from "../../record/mod.ts";
import { isAlive, sendSignal } from "../../system/mod.ts";
import { allGone, TemporaryFolder, until } from "../../testing/mod.ts";
import { KernelEndedError } from "./errors.ts";
import { Kernel } from "./kernel.ts";
import type { KernelMessage } from "./wire.ts";

/** The processes that a kernel consists of: itself and its guard. */
async function family(kernel: Kernel): Promise<[kernel: number, guard: number]> {
  const said: string[] = [];
  await kernel.execute("console.log(Deno.ppid)", {
    onMessage: ({ content }) => said.push(String(content.text)),
  });
  return [kernel.pid, Number(said.join(""))];
}

Deno.test("a kernel executes, counts, tells errors, and leaves nothing behind", async () => {
  await using kernel = await Kernel.start();
  const pids = await family(kernel);
  assertEquals(pids.map(isAlive), [true, true]);
  assertEquals(kernel.languageInfo.name, "typescript");
  const messages: KernelMessage[] = [];
  const onMessage = (message: KernelMessage) => messages.push(message);
  assertEquals(await kernel.execute("globalThis.x = 6; 0", { silent: true, onMessage }), {
    executionCount: 1,
    error: null,
  });
  assertEquals(await kernel.execute("console.log(x); x * 7", { onMessage }), {
    executionCount: 2,
    error: null,
  });
  assertEquals(messages.map(({ type }) => type), ["stream", "execute_result"]);
  const { error } = await kernel.execute("throw new RangeError('too far')", { onMessage });
  assertEquals([error?.ename, error?.evalue, messages.at(-1)?.type], ["RangeError", "too far", "error"]);
  await kernel.shutdown();
  assertEquals(await kernel.ended, { code: 0, signal: null, stderr: "" });
  await allGone(pids);
});

Deno.test("what comes between two executions is handed on with the next", async () => {
  using folder = new TemporaryFolder();
  await using kernel = await Kernel.start();
  const file = `${folder.path}/printed`;
  await kernel.execute(
    `setTimeout(() => { console.log("late"); Deno.writeTextFileSync(${JSON.stringify(file)}, ""); }, 20);`,
  );
  await until(() => folder.names.length > 0);
  const texts: unknown[] = [];
  await kernel.execute("console.log('now')", { onMessage: ({ content }) => texts.push(content.text) });
  assertEquals(texts, ["late\n", "now\n"]);
});

Deno.test("a kernel that is killed in a busy loop ends with what it runs and what its cells started", async () => {
  const kernel = await Kernel.start();
  const pids: number[] = await family(kernel);
  await kernel.execute(
    `const { pid } = new Deno.Command(Deno.execPath(), { args: ["eval", "setInterval(() => {}, 1000)"] }).spawn();
    console.log(pid);`,
    { onMessage: ({ content }) => pids.push(Number(content.text)) },
  );
  assertEquals(pids.map(isAlive), [true, true, true]);
  const busy = assertRejects(() => kernel.execute("for (;;);"), KernelEndedError, "was ended by SIGKILL");
  await kernel.kill();
  await busy;
  await allGone(pids);
});

Deno.test("a kernel that ends by itself rejects what waits for it, with its status and complaint", async () => {
  await using kernel = await Kernel.start();
  const pids = await family(kernel);
  const shown: unknown[] = [];
  const error = await assertRejects(
    () =>
      kernel.execute(
        "console.log('before'); await new Promise((resolve) => setTimeout(resolve, 50)); Deno.exit(7)",
        { onMessage: ({ content }) => shown.push(content.text) },
      ),
    KernelEndedError,
    "The kernel ended with status 7",
  );
  assertEquals([error.end.code, error.end.signal, shown], [7, null, ["before\n"]]);
  await assertRejects(() => kernel.execute("1"), KernelEndedError);
  await allGone(pids);
});

Deno.test("a kernel whose guard is killed ends too, even in a busy loop", async () => {
  await using kernel = await Kernel.start();
  const pids = await family(kernel);
  const file: string[] = [];
  await kernel.execute("console.log(Deno.readTextFileSync('/proc/self/cmdline').split('\\0').at(-2));", {
    onMessage: ({ content }) => file.push(String(content.text).trim()),
  });
  const busy = assertRejects(() => kernel.execute("for (;;);"), KernelEndedError, "The kernel is gone");
  assert(sendSignal(pids[1], "SIGKILL"));
  await busy;
  await allGone(pids);
  // This is what a guard that is killed leaves: nobody else has the right to remove it.
  await Deno.remove(dirname(file[0]!), { recursive: true });
});

Deno.test("a kernel ends when the process that started it is killed, even in a busy loop", async () => {
  const child = new Deno.Command("deno", {
    args: [
      "run",
      "--no-prompt",
      "--allow-read",
      "--allow-run=deno",
      "--allow-net=127.0.0.1",
      new URL("_kernel_child.ts", import.meta.url).href,
    ],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let said = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes("\n")) break;
  }
  const pids: number[] = JSON.parse(said);
  assertEquals(pids.map(isAlive), [true, true]);
  child.kill("SIGKILL");
  await child.status;
  await allGone(pids);
});

Deno.test("two kernels at the same moment keep apart", async () => {
  const kernels = await Promise.all([Kernel.start(), Kernel.start()]);
  const shown = await Promise.all(kernels.map(async (kernel, index) => {
    const texts: unknown[] = [];
    await kernel.execute(`console.log(${index})`, { onMessage: ({ content }) => texts.push(content.text) });
    await kernel.kill();
    return texts;
  }));
  assertEquals(shown, [["0\n"], ["1\n"]]);
});

Deno.test("a kernel that does not start says why", async () => {
  await assertRejects(
    () => Kernel.start({ cwd: "/no/such/folder" }),
    CannotRunHereError,
    "No such cwd '/no/such/folder'",
  );
  await assertRejects(() => Kernel.start({ timeoutMs: 1 }), CannotRunHereError, "did not answer within 1 ms");
  await assertRejects(() => Kernel.start({ signal: AbortSignal.abort() }), DOMException, "aborted");
});
