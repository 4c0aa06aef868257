import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { command, isCommandLine, joinWords, splitWords, withoutFolders } from "./command_line.ts";

const server = command({ help: "the server" });

Deno.test("a text is split as a shell splits it, and nothing in it has another meaning", () => {
  const cases: [text: string, words: string[] | null][] = [
    ["", []],
    ["  \n ", []],
    ["nginx", ["nginx"]],
    [" a\tb\nc ", ["a", "b", "c"]],
    [`a 'b  c' "d  e"`, ["a", "b  c", "d  e"]],
    [`a"b c"'d e'f`, ["ab cd ef"]],
    [`a '' ""`, ["a", "", ""]],
    [`a\\ b \\' \\\\`, ["a b", "'", "\\"]],
    [`"a\\"b" "a\\\\b" "a\\nb" 'a\\b'`, [`a"b`, "a\\b", "a\\nb", "a\\b"]],
    ["a $HOME `b` *.ts > c && d; e | f", ["a", "$HOME", "`b`", "*.ts", ">", "c", "&&", "d;", "e", "|", "f"]],
    [`a "b`, null],
    [`a 'b`, null],
    [`a "b\\"`, null],
    ["a \\", null],
  ];
  for (const [text, words] of cases) assertEquals(splitWords(text), words, text);
});

Deno.test("words that are joined are split into the same ones", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "binary" })), (words) => {
    assertEquals(splitWords(joinWords(words)), words);
  }));
});

Deno.test("a command is text, an array of words, or one that was read before", () => {
  const value = { program: "nginx", args: ["-g", "daemon off;"], folder: null };
  assertEquals(server.parse("nginx -g 'daemon off;'"), { value });
  assertEquals(server.parse(["nginx", "-g", "daemon off;"]), { value });
  assertEquals(server.parse({ ...value, folder: "/home/ada" }), { value: { ...value, folder: "/home/ada" } });
  assertEquals(server.parse(null), { value: null });
  for (
    const given of ["", " ", [], [""], ["a", 1], "''", "/usr/bin/", 5, {}, { program: "a" }, {
      program: "",
      args: [],
      folder: null,
    }]
  ) {
    assertEquals(server.parse(given), { must: "a program with its arguments" }, JSON.stringify(given));
  }
  assertEquals(server.parse("nginx 'never closed"), {
    must: "a program with its arguments, every quote closed",
  });
  assertEquals("must" in server.parse("a\0b"), true);
  assertEquals("must" in server.parse("a".repeat(4001)), true);
});

Deno.test("nothing but a whole command is one", () => {
  assertEquals(isCommandLine({ program: "a", args: [], folder: null }), true);
  for (
    const value of [null, undefined, "a", ["a"], { program: "a" }, { program: "a", args: "b", folder: null }]
  ) {
    assertEquals(isCommandLine(value), false);
  }
});

Deno.test("no folder of the machine is left in what is recorded, whatever stands before it", () => {
  const cases: [text: string, left: string][] = [
    ["/etc/nginx/nginx.conf", "nginx.conf"],
    ["/srv/www/", "www/"],
    ["~/site", "site"],
    ["~ada/site/index.html", "index.html"],
    ["file:///home/ada/a.ts", "a.ts"],
    ["/", "/"],
    ["-c/etc/nginx.conf", "-cnginx.conf"],
    ["--config=/home/ada/a.conf", "--config=a.conf"],
    ["daemon off; pid /run/user/1/n.pid; root '/srv/x';", "daemon off; pid n.pid; root 'x';"],
    [
      `open() "/var/log/nginx/error.log" failed (2: No such file)`,
      `open() "error.log" failed (2: No such file)`,
    ],
    ["/a/b.ts:12:3 and /c/d.ts", "b.ts:12:3 and d.ts"],
    ["localhost:/srv/x", "localhost:x"],
    ["conf/site.conf", "conf/site.conf"],
    ["./bin/../server", "./bin/../server"],
    ["http://127.0.0.1:8080/a/b?c=/d", "http://127.0.0.1:8080/a/b?c=d"],
    ["text/plain", "text/plain"],
    ["1 / 2", "1 / 2"],
    ["", ""],
  ];
  for (const [text, left] of cases) assertEquals(withoutFolders(text), left, text);
});

Deno.test("what is recorded is read again, without folders, and stays as it is", () => {
  const outcome = server.parse(["/opt/x y/serve it", "-d", "/srv/my www/", "--say", "it's", "/"]);
  const recorded = server.format("value" in outcome ? outcome.value : null);
  assertEquals(recorded, `'serve it' -d 'my www' --say 'it'\\''s' /`);
  const again = server.parse(recorded);
  assertEquals(server.format("value" in again ? again.value : null), recorded);
  assertEquals(server.format(null), null);
});
