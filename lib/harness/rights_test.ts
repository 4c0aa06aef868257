import { assertEquals, assertThrows } from "@std/assert";
import { CannotRunHereError, MisuseError } from "../record/mod.ts";
import { libcPath } from "../system/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { LAB_PATH } from "./layout.ts";
import { allow, measuringRights, serverRights, supervisorRights } from "./rights.ts";

/** The things that a flag names. */
function named(flags: readonly string[], name: string): string[] {
  const flag = flags.find((flag) => flag.startsWith(`--allow-${name}=`));
  return flag === undefined ? [] : flag.slice(`--allow-${name}=`.length).split(",");
}

Deno.test("allow() names things one by one, each once, and gives no right to nothing", () => {
  assertEquals(allow("read", ["/a", "/b c", "/a"]), ["--allow-read=/a,/b c"]);
  assertEquals(allow("net", []), []);
});

Deno.test("allow() names a path with a comma from the working folder, or refuses", () => {
  const below = `${Deno.cwd()}/x`;
  assertEquals(allow("read", [below]), [`--allow-read=${below}`]);
  for (
    const [name, thing] of [["write", "/tmp/x,y"], ["write", "/tmp/x,/"], ["net", "127.0.0.1,"]] as const
  ) {
    assertThrows(() => allow(name, [thing]), CannotRunHereError, `the right to ${thing}`);
  }
});

Deno.test("allow() refuses what no host can be called, which would keep a process from starting", () => {
  const hosts = ["127.0.0.1", "[::1]", "localhost:80", "a_b.example.org.", "[fe80::1]:8080"];
  assertEquals(named(allow("net", hosts), "net"), hosts);
  const refused = ["*", "*:80", "a..b", "a!b", "a b", "", "[::1", "a:b", "[1:2]", "[::1]:http", "fe80::1%lo"];
  for (const thing of refused) {
    assertThrows(() => allow("net", [thing]), MisuseError, "as it is no name of a host");
  }
});

Deno.test("an address of IPv6 is a host with and without brackets, and has a port in them", async () => {
  assertEquals(allow("net", ["::1", "[::1]", "::ffff:127.0.0.1"]), ["--allow-net=[::1],[::ffff:127.0.0.1]"]);
  const ask = 'const query = (host) => Deno.permissions.querySync({ name: "net", host }).state; ' +
    'console.log(...["[::1]:80", "[::1]:81", "[fe80::1]:80"].map(query));';
  const GIVEN = [
    ["::1", "granted granted prompt"],
    ["[::1]", "granted granted prompt"],
    ["[::1]:80", "granted prompt prompt"],
  ] as const;
  for (const [thing, expected] of GIVEN) {
    const args = ["run", "--quiet", "--no-prompt", ...allow("net", [thing]), `data:text/javascript,${ask}`];
    const { stdout, stderr } = await new Deno.Command("deno", { args }).output();
    const text = new TextDecoder();
    assertEquals(text.decode(stdout).trim(), expected, text.decode(stderr));
  }
});

Deno.test("a lab in a folder with a comma has its rights all the same", async () => {
  using folder = new TemporaryFolder();
  const lab = `${folder.path}/our,lab`;
  await Deno.mkdir(`${lab}/data`, { recursive: true });
  await Deno.writeTextFile(
    `${lab}/main.ts`,
    `import { allow } from ${JSON.stringify(import.meta.resolve("./rights.ts"))};
    const cwd = Deno.cwd();
    console.log(...allow("write", [cwd, cwd + "/data", cwd + "/../x"]));`,
  );
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-lock", "--allow-read", `--config=${config}`, "main.ts"],
    cwd: lab,
  }).output();
  const text = new TextDecoder();
  assertEquals(text.decode(stdout), "--allow-write=.,data,../x\n", text.decode(stderr));
});

Deno.test("a person's file may read its project, else its own folder; one named by its URL, what its host serves", async () => {
  using folder = new TemporaryFolder();
  const file = `file://${folder.path}/notes/mine.ts`;
  await Deno.mkdir(`${folder.path}/notes`);
  const needs = { net: ["127.0.0.1"], namespace: "none" } as const;
  const last = (flags: readonly string[]) => named(flags, "read").at(-1);
  assertEquals(last(measuringRights(file, needs)), `${folder.path}/notes`);
  folder.write("deno.json", "{}");
  assertEquals(last(measuringRights(file, needs)), folder.path);
  assertEquals(last(supervisorRights(file, `${folder.path}/data`)), folder.path);
  const remote = measuringRights("http://127.0.0.1:8000/mine.ts", needs);
  assertEquals(named(remote, "import"), ["127.0.0.1:8000"]);
  assertEquals(named(remote, "read"), named(measuringRights("handshake-cost", needs), "read"));
});

Deno.test("the supervisor writes to the data folder, the measuring process nowhere, and a server where it is said", () => {
  assertEquals(named(supervisorRights("handshake-cost", "/d"), "write"), ["/d"]);
  const measuring = measuringRights("handshake-cost", { net: [], namespace: "none" });
  assertEquals(measuring.filter((flag) => /write|run|net/.test(flag)), []);
  assertEquals(serverRights({}), ["--allow-net=127.0.0.1"]);
  assertEquals(serverRights({ net: ["127.0.0.2", "[::1]"] }), ["--allow-net=127.0.0.2,[::1]"]);
  const libc = libcPath();
  assertEquals(
    serverRights({ net: [], libc: true }),
    libc === null ? [] : [`--allow-ffi=${libc}`],
  );
  assertEquals(named(supervisorRights("handshake-cost", "/d"), "run"), ["deno", "git", "unshare"]);
  assertEquals(named(supervisorRights("handshake-cost", "/d", ["/opt/serve"]), "run").at(-1), "/opt/serve");
  const keeping = serverRights({ run: { program: "/opt/serve", args: ["--now"], folder: null } });
  assertEquals(named(keeping, "run"), ["/opt/serve"]);
  assertThrows(
    () => serverRights({ run: { program: "a,sh", args: [], folder: null } }),
    CannotRunHereError,
    "comma",
  );
  assertEquals(serverRights({ net: [], threads: true }), [`--allow-read=${LAB_PATH}`, "--unstable-net"]);
});
