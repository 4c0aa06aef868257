import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "../../lib/record/mod.ts";
import { readFlags } from "../_shared/flags.ts";
import { ORIGIN, type OriginFlags, resolveFlags } from "./flags.ts";

const read = (...args: string[]) => {
  const flags = readFlags(ORIGIN, args);
  return flags && resolveFlags(flags);
};

const NO_BRAKES = {
  headerTimeoutMs: null,
  requestTimeoutMs: null,
  idleTimeoutMs: null,
  maxConnections: null,
};

Deno.test("the origin has a default for every flag", () => {
  assertEquals(read(), {
    stack: "deno",
    hostname: "127.0.0.1",
    port: 0,
    ports: 0,
    tls: false,
    brakes: NO_BRAKES,
    backlog: null,
    workers: 1,
    descriptors: null,
  });
});

Deno.test("the origin takes every flag", () => {
  const flags = [
    "--stack",
    "node",
    "--hostname=::1",
    "--port",
    "8080",
    "--ports",
    "44",
    "--idle-timeout",
    "2.5s",
    "--header-timeout=3s",
    "--request-timeout=10s",
    "--max-connections=100",
    "--backlog=16",
    "--server-workers=2",
    "--fds=200",
  ];
  const expected: OriginFlags = {
    ...{ stack: "node", hostname: "::1", port: 8080, ports: 44 },
    tls: false,
    brakes: { headerTimeoutMs: 3000, requestTimeoutMs: 10_000, idleTimeoutMs: 2500, maxConnections: 100 },
    ...{ backlog: 16, workers: 2, descriptors: 200 },
  };
  assertEquals(read(...flags), expected);
  assertEquals(read(...flags, "--tls", "--alpn", "http/1.1"), { ...expected, tls: true });
  assertEquals(read("--tls", "--alpn=h2"), read("--tls"));
  assertEquals(read("--help"), null);
});

Deno.test("the origin refuses what it does not know, and says what may be meant", () => {
  for (
    const [args, message] of [
      [["--stak", "node"], "there is no flag --stak: did you mean --stack"],
      [["--zebra"], "there is no flag --zebra"],
      [["-x"], "there is no flag -x"],
      [["node"], "takes flags only: current value is node"],
      [["--stack", "nginx"], "--stack must be deno or node: current value is nginx"],
      [["--stack"], "current value is empty"],
      [["--hostname"], "--hostname must be an address"],
      [["--port", "65536"], "--port must be <= 65535: current value is 65536"],
      [["--ports", "2,5"], "--ports must be a whole number from 0 to 10000"],
      [["--ports"], "current value is empty"],
      [["--alpn", "h2"], "--alpn needs --tls"],
      [["--tls", "--alpn", "h3"], "--alpn must be http/1.1 or h2: current value is h3"],
      [["--idle-timeout", "5s"], "--idle-timeout needs --stack node: Deno.serve has no idle timeout"],
      [["--header-timeout", "3s"], "--header-timeout needs --stack node: Deno.serve has no header timeout"],
      [
        ["--request-timeout", "3s"],
        "--request-timeout needs --stack node: Deno.serve has no request timeout",
      ],
      [
        ["--max-connections", "9"],
        "--max-connections needs --stack node: Deno.serve has no limit of connections",
      ],
      [["--max-connections", "0", "--stack", "node"], "--max-connections must be >= 1"],
      [["--server-workers", "0"], "--server-workers must be >= 1: current value is 0"],
      [["--fds", "few"], "--fds must be a whole number from 40 to"],
      [["--fds", "39"], "--fds must be >= 40: current value is 39"],
      [["--backlog", "65536"], "--backlog must be <= 65535"],
      [["--stack", "node", "--idle-timeout", "0"], "--idle-timeout must be >= 1ms"],
      [["--stack", "node", "--tls", "--alpn", "h2"], "--alpn h2 needs --stack deno: node:http2 under Deno"],
    ] as const
  ) {
    assertThrows(() => read(...args), MisuseError, message, args.join(" "));
  }
});
