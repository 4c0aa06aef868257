import { assert, assertEquals } from "@std/assert";
import { startChild } from "./_child.ts";
import { announce } from "./announce.ts";

Deno.test("a line that is taken in parts is written to its end", () => {
  const parts: string[] = [];
  const output = {
    writeSync(bytes: Uint8Array): number {
      parts.push(new TextDecoder().decode(bytes.subarray(0, 5)));
      return Math.min(5, bytes.length);
    },
  };
  announce({ port: 8080, text: "a\nb" }, { output });
  assertEquals(parts.join(""), '{"port":8080,"text":"a\\nb"}\n');
});

Deno.test("a message apart ends half a line that something else has written", () => {
  const parts: string[] = ["half a line"];
  announce({ port: 8080 }, {
    output: { writeSync: (bytes) => parts.push(new TextDecoder().decode(bytes)) && bytes.length },
    apart: true,
  });
  assertEquals(parts.join("").split("\n"), ["half a line", '{"port":8080}', ""]);
});

Deno.test("a message longer than a pipe holds is written whole, as one line", async () => {
  await using child = startChild("_announce_child.ts");
  assertEquals(await child.next(), { ready: true });
  await child.write("3000000\n");
  const { text } = await child.next() as { text: string };
  assert(text === "x".repeat(3_000_000), `${text.length} characters`);
  assertEquals(await child.next(), null);
  assertEquals((await child.process.status).code, 0);
});

Deno.test("a message that nobody reads any more is a broken pipe", async () => {
  await using child = startChild("_announce_child.ts");
  assertEquals(await child.next(), { ready: true });
  await child.hangUp();
  // The pipe closes a moment later; a message that it cannot hold is still being written then.
  await child.write("3000000\n");
  assertEquals((await child.process.status).code, 7);
});
