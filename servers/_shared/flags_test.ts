import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { choice, duration, flag, integer, MisuseError, type ParamsOf } from "../../lib/record/mod.ts";
import { HOSTNAME, optional, PORT, readFlags, type ServerUsage, usageOf } from "./flags.ts";

const params = {
  stack: choice(["deno", "node"], { default: "deno", help: "what serves" }),
  hostname: HOSTNAME,
  port: PORT,
  ports: integer({ min: 0, max: 10_000, default: 0, help: "further ports" }),
  tls: flag({ default: false, help: "whether it speaks TLS" }),
  idleTimeout: optional(duration({ default: "5s", help: "how long it keeps an idle connection" })),
};

const SERVER: ServerUsage<typeof params> = { name: "sample", about: "Serves.", params, details: "Paths: /a" };

const DEFAULTS: ParamsOf<typeof params> = {
  stack: "deno",
  hostname: "127.0.0.1",
  port: 0,
  ports: 0,
  tls: false,
  idleTimeout: null,
};

Deno.test("readFlags has a default for every flag, and tells that none was given", () => {
  assertEquals(readFlags(SERVER, []), { values: DEFAULTS, given: new Set<never>() });
});

Deno.test("readFlags reads every kind of flag, and tells which were given", () => {
  const args = ["--stack", "node", "--hostname=::1", "--port", "8080", "--tls", "--idle-timeout", "2.5s"];
  assertEquals(readFlags(SERVER, args), {
    values: { stack: "node", hostname: "::1", port: 8080, ports: 0, tls: true, idleTimeout: 2500 },
    given: new Set(["stack", "hostname", "port", "tls", "idleTimeout"] as const),
  });
  assertEquals(readFlags(SERVER, ["--tls=false"])?.values, DEFAULTS);
  assertEquals(readFlags(SERVER, ["--port", "1", "--help"]), null);
});

Deno.test("readFlags refuses what it does not know, and says what may be meant", () => {
  for (
    const [args, message] of [
      [["--stak", "node"], "Cannot start sample as there is no flag --stak: did you mean --stack"],
      [["--prots=4"], "there is no flag --prots: did you mean --port"],
      [["--idleTimeout", "5s"], "there is no flag --idleTimeout: did you mean --idle-timeout"],
      [["--zebra"], "there is no flag --zebra"],
      [["-x"], "there is no flag -x"],
      [["node"], "it takes flags only: current value is node"],
      [["--tls", "node"], "it takes flags only: current value is node"],
      [["--stack", "nginx"], "--stack must be deno or node: current value is nginx"],
      [["--stack"], "current value is empty"],
      [["--hostname"], "--hostname must be an address: current value is empty"],
      [["--port", "65536"], "--port must be <= 65535: current value is 65536"],
      [["--port", "high"], "--port must be a whole number from 0 to 65535: current value is high"],
      [["--port=-1"], "--port must be >= 0: current value is -1"],
      [["--port", "-1"], "--port must be >= 0: current value is -1"],
      [["--idle-timeout", "-.5s"], "--idle-timeout must be"],
      [["--hostname", "-1", "--stack", "nginx"], "--stack must be deno or node"],
      [["--tls", "-1"], "there is no flag -1"],
      [["-1"], "there is no flag -1"],
      [["--ports", "2,5"], "--ports must be a whole number from 0 to 10000"],
      [["--ports"], "current value is empty"],
      [["--idle-timeout", "2,5"], "with a point for decimals (2.5"],
    ] as const
  ) {
    assertThrows(() => readFlags(SERVER, args), MisuseError, message, args.join(" "));
  }
});

Deno.test("usageOf names every flag, what it takes and what it is by default", () => {
  const usage = usageOf(SERVER);
  for (
    const words of [
      "Serves.\n\nUsage: sample [flags]",
      "--stack         what serves (deno or node; default deno)",
      "--tls           whether it speaks TLS\n",
      "--idle-timeout  how long it keeps an idle connection (1ms to 1h)",
      "Paths: /a",
      "Under lab serve it ends at Ctrl-C or a signal",
      'at a line "stop" or the end of its standard input',
    ]
  ) {
    assertStringIncludes(usage, words);
  }
});
