import { assert, assertEquals } from "@std/assert";
import { startChild } from "./_child.ts";
import { Lifeline } from "./lifeline.ts";

/** A lifeline on chunks of bytes; the input stays open unless it is ended. */
function onChunks(
  chunks: readonly (string | Uint8Array)[],
  options: { readonly ended?: boolean } = {},
): Lifeline {
  const encoder = new TextEncoder();
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
      }
      if (options.ended) controller.close();
    },
  });
  return new Lifeline({ input });
}

async function allLines(line: Lifeline): Promise<string[]> {
  const lines: string[] = [];
  for (let next = await line.nextLine(); next !== null; next = await line.nextLine()) lines.push(next);
  return lines;
}

Deno.test("messages come in their order, however the pipe cuts them", async () => {
  const euro = new TextEncoder().encode("€\n");
  using line = onChunks(["one\ntw", "o\r\n", "\n", euro.slice(0, 1), euro.slice(1), "stop\n"]);
  assertEquals(await allLines(line), ["one", "two", "", "€"]);
  assertEquals(line.reason, "stop");
});

Deno.test("a stop aborts once, and neither later lines nor the end change it", async () => {
  using line = onChunks(["stop\nlate\nstop\n"], { ended: true });
  let aborts = 0;
  line.signal.addEventListener("abort", () => aborts++);
  assertEquals(await line.nextLine(), null);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals([line.reason, line.signal.aborted, aborts], ["stop", true, 1]);
  assertEquals(await line.nextLine(), null);
  assertEquals([line.signal.reason.name, line.signal.reason.message], [
    "AbortError",
    "The process was asked to stop",
  ]);
});

Deno.test("the end of the input means that the parent is gone, and an unfinished line is dropped", async () => {
  using line = onChunks(["whole\nsto", "p"], { ended: true });
  assertEquals(await allLines(line), ["whole"]);
  assertEquals([line.reason, line.signal.aborted], ["orphaned", true]);
});

Deno.test("an input that breaks means the same", async () => {
  const input = new ReadableStream<Uint8Array>({
    start: (controller) => controller.error(new Error("broken")),
  });
  using line = new Lifeline({ input });
  assertEquals(await line.nextLine(), null);
  assertEquals(line.reason, "orphaned");
});

Deno.test("letting go cancels the input, answers who waits, and aborts nothing", async () => {
  const cancelled = Promise.withResolvers<void>();
  const line = new Lifeline({ input: new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() }) });
  const waiting = line.nextLine();
  line[Symbol.dispose]();
  line[Symbol.dispose]();
  await cancelled.promise;
  assertEquals(await waiting, null);
  assertEquals(await line.nextLine(), null);
  assertEquals([line.reason, line.signal.aborted], [null, false]);
});

Deno.test("a child reads messages and ends on stop", async () => {
  await using child = startChild("_lifeline_child.ts");
  assertEquals(await child.next(), { ready: true });
  await child.write("one\ntw");
  assertEquals(await child.next(), { message: "one" });
  await child.write("o\n");
  assertEquals(await child.next(), { message: "two" });
  await child.write("stop\n");
  assertEquals(await child.next(), { aborted: "AbortError" });
  assertEquals(await child.next(), { reason: "stop" });
  assertEquals(await child.next(), null);
  assert((await child.process.status).success);
});

Deno.test("a child ends when the pipe of its parent does", async () => {
  await using child = startChild("_lifeline_child.ts");
  assertEquals(await child.next(), { ready: true });
  await child.end();
  assertEquals(await child.next(), { aborted: "AbortError" });
  assertEquals(await child.next(), { reason: "orphaned" });
  assert((await child.process.status).success);
});

Deno.test("a child that lets go ends although its input stays open", async () => {
  await using child = startChild("_lifeline_child.ts");
  assertEquals(await child.next(), { ready: true });
  await child.write("let go\n");
  assertEquals(await child.next(), { reason: null });
  assertEquals(await child.next(), null);
  assert((await child.process.status).success);
});

if (Deno.build.os !== "windows") {
  Deno.test("SIGTERM is a stop", async () => {
    await using child = startChild("_lifeline_child.ts");
    assertEquals(await child.next(), { ready: true });
    child.process.kill("SIGTERM");
    assertEquals(await child.next(), { aborted: "AbortError" });
    assertEquals(await child.next(), { reason: "stop" });
    assert((await child.process.status).success);
  });
}
