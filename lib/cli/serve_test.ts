import { assertEquals, assertStringIncludes } from "@std/assert";
import { sendSignal } from "../system/mod.ts";
import { allGone, family } from "../testing/mod.ts";
import { command, lab } from "./_task.ts";

Deno.test({
  name: "lab serve faulty says where it tells what it saw, and leaves no server behind when it is killed",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const child = command(["serve", "faulty", "--behaviour", "closes-after"]).spawn();
    const [out, err] = [child.stdout, child.stderr].map((stream) =>
      stream.pipeThrough(new TextDecoderStream()).getReader()
    );
    try {
      const { ports, seen } = JSON.parse((await out!.read()).value!);
      assertEquals(seen, `http://127.0.0.1:${ports[0]}/log`);
      assertEquals((await (await fetch(seen)).json()).requests, []);
      assertStringIncludes((await err!.read()).value!, `what it saw: ${seen}; Ctrl-C ends it`);
    } finally {
      const [lab, ...servers] = family(child.pid);
      sendSignal(lab!, "SIGKILL");
      await allGone([lab!, ...servers]);
      await Promise.all([out!.cancel(), err!.cancel(), child.status]);
      assertEquals(servers.length, 1);
    }
  },
});

Deno.test("lab serve offers what is of use to a person, each called the way it is started", async () => {
  const [all, origin] = await Promise.all([lab("serve", "--help"), lab("serve", "origin", "--help")]);
  assertStringIncludes(all.out, "\nServers: faulty, middlebox, origin, proxy. ");
  assertStringIncludes(origin.out, "\nUsage: deno task lab serve origin [flags]\n");
});
