import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "../../lib/record/mod.ts";
import { readFlags } from "./flags.ts";

Deno.test("readFlags has a default for every flag", () => {
  assertEquals(readFlags([]), { stack: "deno", hostname: "127.0.0.1", port: 0, ports: 0 });
});

Deno.test("readFlags reads every flag", () => {
  assertEquals(readFlags(["--stack", "node", "--hostname=::1", "--port", "8080", "--ports", "44"]), {
    stack: "node",
    hostname: "::1",
    port: 8080,
    ports: 44,
  });
  assertEquals(readFlags(["--help"]), null);
});

Deno.test("readFlags refuses what it does not know, and says what may be meant", () => {
  for (
    const [args, message] of [
      [["--stak", "node"], "there is no flag --stak: did you mean --stack"],
      [["--prots=4"], "there is no flag --prots: did you mean --port"],
      [["--zebra"], "there is no flag --zebra"],
      [["-x"], "there is no flag -x"],
      [["node"], "takes flags only: current value is node"],
      [["--stack", "nginx"], "--stack must be one of deno, node: current value is nginx"],
      [["--stack"], "current value is empty"],
      [["--hostname"], "--hostname must not be empty"],
      [["--port", "65536"], "--port must be a whole number from 0 to 65535: current value is 65536"],
      [["--port", "8e3"], "current value is 8e3"],
      [["--port", "-1"], ""],
      [["--ports", "2,5"], "--ports must be a whole number from 0 to 10000: current value is 2,5"],
      [["--ports"], "current value is empty"],
    ] as const
  ) {
    assertThrows(() => readFlags([...args]), MisuseError, message, args.join(" "));
  }
});
