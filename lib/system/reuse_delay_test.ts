import { assertEquals } from "@std/assert";
import { reuseDelayMs } from "./reuse_delay.ts";

Deno.test("the delay of reuse is the kernel's where it has one, else a second", () => {
  const asked: string[] = [];
  const read = (name: string) => {
    asked.push(name);
    return "250";
  };
  assertEquals(reuseDelayMs(read), 250);
  assertEquals(asked, ["net.ipv4.tcp_tw_reuse_delay"]);
  const absent = () => {
    throw new Deno.errors.NotFound("There is none");
  };
  assertEquals([reuseDelayMs(absent), reuseDelayMs(() => "")], [1000, 1000]);
});
