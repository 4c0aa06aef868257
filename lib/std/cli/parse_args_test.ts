import { parseArgs } from "@std/cli/parse-args";
import { assertEquals } from "@std/assert";

Deno.test("parseArgs() leaves the text of string flags as it is", () => {
  const args = parseArgs(["--requests", "1e9", "--ratio=2,5", "--seed", "007", "--expr=a=b"], {
    string: ["requests", "ratio", "seed", "expr"],
  });
  const requests: string | undefined = args.requests;
  assertEquals(requests, "1e9");
  assertEquals(args, { _: [], requests: "1e9", ratio: "2,5", seed: "007", expr: "a=b" });
});

Deno.test("parseArgs() makes numbers of what is not declared, unless told otherwise", () => {
  assertEquals(parseArgs(["5", "--n=6"]), { _: [5], n: 6 });
  assertEquals<unknown>(parseArgs(["5", "20261201"], { string: ["_"] })._, ["5", "20261201"]);
});

Deno.test("parseArgs() takes no flag as the value of another", () => {
  assertEquals(parseArgs(["--label", "--json"], { string: ["label"], boolean: ["json"] }), {
    _: [],
    label: "",
    json: true,
  });
  assertEquals(parseArgs(["--label"], { string: ["label"] }), { _: [], label: "" });
});

Deno.test("parseArgs() sets boolean flags to false when they are not given", () => {
  const args = parseArgs(["--json", "run"], { boolean: ["json", "quick"] });
  const json: boolean = args.json;
  assertEquals(json, true);
  assertEquals(args, { _: ["run"], json: true, quick: false });
});

Deno.test("parseArgs() reads true and false after a boolean flag", () => {
  const options = { boolean: ["a", "b", "c"] } as const;
  assertEquals(parseArgs(["--a=false", "--b", "false", "--c", "true", "x"], options), {
    _: ["x"],
    a: false,
    b: false,
    c: true,
  });
});

Deno.test("parseArgs() negates what is negatable", () => {
  const options = { boolean: ["color"], negatable: ["color"], default: { color: true } } as const;
  assertEquals(parseArgs(["--no-color"], options).color, false);
  assertEquals(parseArgs(["--color"], options).color, true);
  assertEquals(parseArgs([], options).color, true);
  assertEquals(parseArgs(["--no-color", "x"], options)._, ["x"]);
  assertEquals(parseArgs(["--no-file"], { string: ["file"], negatable: ["file"] }).file, false);
});

Deno.test("parseArgs() takes --no-x as a flag of that name where x is not negatable", () => {
  assertEquals(parseArgs(["--no-color"], { boolean: ["color"] }), {
    _: [],
    color: false,
    "no-color": true,
  });
  assertEquals(parseArgs(["--no-way", "out"]), { _: [], "no-way": "out" });
});

Deno.test("parseArgs() counts the last of a repeated flag, and collects what is to be collected", () => {
  assertEquals(parseArgs(["--n", "1", "--n", "2"], { string: ["n"] }).n, "2");
  const args = parseArgs(["--param", "a=1", "--param=b=2"], {
    string: ["param", "tag"],
    collect: ["param", "tag"],
  });
  const param: string[] = args.param;
  assertEquals(param, ["a=1", "b=2"]);
  assertEquals(args.tag, []);
  assertEquals(parseArgs(["--param", "a"], { string: ["param"], collect: ["param"] }).param, ["a"]);
});

Deno.test("parseArgs() asks unknown() of what is not declared, and leaves out what it refuses", () => {
  const asked: unknown[][] = [];
  const args = parseArgs(
    ["--request", "5", "--no-wait", "--known=1", "--flag=x", "extra", "-q", "--", "--raw"],
    {
      string: ["known"],
      "--": true,
      unknown: (arg, key, value) => {
        asked.push(key === "q" ? [arg, key] : [arg, key, value]);
        return false;
      },
    },
  );
  assertEquals(asked, [
    ["--request", "request", "5"],
    ["--no-wait", "no-wait", true],
    ["--flag=x", "flag", "x"],
    ["extra", undefined, undefined],
    ["-q", "q"],
  ]);
  assertEquals(args, { _: [], known: "1", "--": ["--raw"] });
});

Deno.test("parseArgs() keeps what unknown() lets pass", () => {
  assertEquals(parseArgs(["--a", "b", "c", "--no-d"], { unknown: () => true }), {
    _: ["c"],
    a: "b",
    "no-d": true,
  });
});

Deno.test("parseArgs() does not read what follows --", () => {
  const args = ["a", "--x", "--", "--y", "7"];
  assertEquals(parseArgs(args, { boolean: ["x"] }), { _: ["a", "--y", "7"], x: true });
  const apart = parseArgs(args, { boolean: ["x"], "--": true });
  const rest: string[] = apart["--"];
  assertEquals(rest, ["--y", "7"]);
  assertEquals(apart._, ["a"]);
});

Deno.test("parseArgs() stops early at the first argument that is no flag", () => {
  const options = { boolean: ["help"], string: ["data", "d"], stopEarly: true } as const;
  assertEquals(parseArgs(["--help", "--data", "x", "run", "--no-wait", "5"], options), {
    _: ["run", "--no-wait", "5"],
    help: true,
    data: "x",
  });
  assertEquals(parseArgs(["-d", "x", "--help", "run", "--help=false"], options), {
    _: ["run", "--help=false"],
    help: true,
    d: "x",
  });
});

Deno.test("parseArgs() fills in defaults, which are not collected and not converted", () => {
  const options = {
    string: ["out", "tags"],
    collect: ["tags"],
    default: { out: "out/", tags: ["x"], n: "5" },
  } as const;
  assertEquals(parseArgs([], options), { _: [], out: "out/", tags: ["x"], n: "5" });
  assertEquals(parseArgs(["--out=a", "--tags", "b"], options), { _: [], out: "a", tags: ["b"], n: "5" });
});

Deno.test("parseArgs() sets a flag under all its names", () => {
  const options = { boolean: ["help"], string: ["out"], alias: { help: "h", out: ["o", "to"] } } as const;
  assertEquals(parseArgs(["-h", "-o", "x", "run"], options), {
    _: ["run"],
    help: true,
    h: true,
    out: "x",
    o: "x",
    to: "x",
  });
  assertEquals(parseArgs(["--to=y"], options).out, "y");
  assertEquals(parseArgs([], options).h, false);
});

Deno.test("parseArgs() takes no empty argument as a value", () => {
  assertEquals(parseArgs(["--label", ""], { string: ["label"] }), { _: [""], label: "" });
});

Deno.test("parseArgs() takes --name= as a flag that is called so", () => {
  const asked: unknown[][] = [];
  const options = {
    string: ["requests"],
    unknown: (...args: unknown[]) => {
      asked.push(args);
      return false;
    },
  } as const;
  assertEquals(parseArgs(["--requests=", "--other", "5"], options), { _: [] });
  assertEquals(asked, [["--requests=", "requests=", true], ["--other", "other", "5"]]);
  assertEquals(parseArgs(["--a="]), { _: [], "a=": true });
});

Deno.test("parseArgs() takes a lone hyphen as an argument", () => {
  assertEquals(parseArgs(["-", "--file", "-"], { string: ["file"] }), { _: ["-", "-"], file: "" });
});

Deno.test("parseArgs() takes a flag that is called like what every object inherits as any other", () => {
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    const asked: unknown[][] = [];
    const refused = parseArgs([`--${name}`, `--${name}=1`, "--known", "2"], {
      string: ["known"],
      unknown: (...args) => {
        asked.push(args);
        return false;
      },
    });
    assertEquals(asked, [[`--${name}`, name, true], [`--${name}=1`, name, "1"]]);
    assertEquals(refused, { _: [], known: "2" });
  }
  const kept: Record<string, unknown> = parseArgs(["--toString", "5", "x"]);
  assertEquals([kept.toString, kept._], ["5", ["x"]]);
});
