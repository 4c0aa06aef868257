import { assertEquals, assertMatch } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { ROOT, shell } from "./_task.ts";

const [DEMANDING, CROWDED] = ["demanding", "crowded"].map((name) =>
  new URL(`lib/harness/fixtures/${name}.ts`, ROOT).pathname
);

/** What forbids a network of one's own, done in namespaces that no one else is in; why, and what helps. */
const OBSTACLES: readonly [obstacle: string, reason: string, remedy: RegExp][] = [
  ["echo 0 > /proc/sys/user/max_user_namespaces", "user.max_user_namespaces is 0", /^Allow some/],
  ["echo 0 > /proc/sys/user/max_net_namespaces", "user.max_net_namespaces is 0", /^Allow some/],
  [
    "mkdir $DATA/bin && ln -s $(command -v deno) $DATA/bin && export PATH=$DATA/bin",
    "no program called unshare can be started",
    /^Install util-linux/,
  ],
];

/** Runs an experiment that would be in a network of its own, where something is in the way of that. */
function run(obstacle: string, demand: "silence" | "quiet", data: string) {
  const command = `deno task --quiet lab run ${DEMANDING} --demand ${demand} --data ${data}/data --json`;
  return shell(
    `export DATA=${data} NO_COLOR=1; exec unshare --map-root-user --mount sh -c '${obstacle} && exec ${command}'`,
  );
}

if (Deno.build.os === "linux") {
  for (const [obstacle, reason, remedy] of OBSTACLES) {
    Deno.test(`a run that needs a network of its own is refused where ${reason}`, async () => {
      using folder = new TemporaryFolder();
      const { code, out, err } = await run(obstacle, "silence", folder.path);
      assertEquals([code, out], [3, ""], err);
      const [problem, help] = err.trim().split("\n") as [string, string];
      assertEquals(problem, `Cannot run demanding in a network of its own as ${reason}`);
      assertMatch(help, remedy);
      assertEquals(folder.names.filter((name) => name !== "bin"), []);
    });
  }

  Deno.test("a run is refused when namespaces run out between the try of one and its start", async () => {
    using folder = new TemporaryFolder();
    await Deno.mkdir(`${folder.path}/bin`);
    folder.write(
      "bin/unshare",
      `#!/bin/sh
      case "$*" in *--help) exit 0;; esac
      echo "unshare: unshare failed: No space left on device" >&2
      exit 1`,
    );
    const few = "chmod +x $DATA/bin/unshare && export PATH=$DATA/bin:$PATH";
    const { code, out, err } = await run(few, "silence", folder.path);
    assertEquals([code, out], [3, ""], err);
    assertMatch(
      err,
      /Cannot run .*demanding.* in a network of its own as there are as many namespaces .*\nEnd other runs, or raise/,
    );
    assertEquals(folder.names, ["bin"]);
  });

  Deno.test("a run is refused whose own network takes no settings", async () => {
    using folder = new TemporaryFolder();
    const readOnly = "mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys";
    const { code, err } = await run(readOnly, "silence", folder.path);
    assertEquals(code, 3, err);
    assertMatch(
      err,
      /as it cannot be set up: Cannot write .* as the system does not permit it\n.*systempaths/,
    );
    assertEquals(folder.names, []);
  });

  Deno.test("what a run may have is held against its own network, not against the one around it", async () => {
    using folder = new TemporaryFolder();
    const few = "echo 40000 40009 > /proc/sys/net/ipv4/ip_local_port_range";
    const command = `deno task --quiet lab run ${CROWDED} --data ${folder.path} --json`;
    const { code, out, err } = await shell(
      `NO_COLOR=1 exec unshare --map-root-user --net sh -c '${few} && exec ${command}'`,
    );
    assertEquals(code, 0, err);
    const { environment, summary } = JSON.parse(out);
    assertEquals(environment.network.ephemeralPorts, [32_768, 60_999]);
    assertEquals(summary[0].value, 64);
  });

  Deno.test("a kernel that has no PATH has networks of its own all the same", async () => {
    using folder = new TemporaryFolder();
    const ask = 'import { lab } from "connlab"; ' +
      `const { environment } = await lab.run("${CROWDED}", {}, { data: "${folder.path}" }); ` +
      "console.log(environment.isolation);";
    const { code, out, err } = await shell(
      `deno=$(command -v deno); unset PATH; exec "$deno" eval --frozen '${ask}'`,
    );
    assertEquals([code, out.trim().split("\n").at(-1)], [0, "namespace"], err);
  });

  Deno.test("a run that may do without a network of its own goes on, and says so", async () => {
    using folder = new TemporaryFolder();
    const { code, out, err } = await run(OBSTACLES[0]![0], "quiet", folder.path);
    assertEquals(code, 0, err);
    const { environment, warnings } = JSON.parse(out);
    assertEquals(environment.isolation, "none");
    const told = warnings.find(({ code }: { code: string }) => code === "no-namespace");
    assertMatch(
      told.message,
      /^Measured in the machine's own network, .* as user\.max_user_namespaces is 0$/,
    );
  });
}
