import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";
import { UNSHARE } from "./namespace_support.ts";
import { readNetworkSetting } from "./network_settings.ts";
import { enterNetworkOf, OwnNetwork } from "./own_network.ts";

const RANGE = "net.ipv4.ip_local_port_range";
const PRESET_RANGE = "32768 60999";

interface Report {
  readonly networks: readonly string[];
  readonly port: number;
  readonly reserved: string;
  readonly presets: readonly string[];
  readonly reached: readonly boolean[];
  readonly left: readonly (string | null)[];
  readonly backwards: readonly (string | null)[];
  readonly absent: string | null;
  readonly forbidden: string | null;
  readonly misnamed: readonly (string | null)[];
}

if (Deno.build.os === "linux") {
  const rights = [`--allow-ffi=${libcPath()}`, "--allow-net"];

  Deno.test("a fresh network is the thread's alone, has its own settings, and loopback is up", async () => {
    const before = readNetworkSetting(RANGE);
    await using child = startChild("_own_network_child.ts", rights, UNSHARE);
    const report = await child.next() as Report;
    assertEquals(new Set(report.networks).size, 3);
    assert([30_000, 30_001].includes(report.port), `${report.port}`);
    assertEquals(report.reserved, "30003-30005");
    assertEquals(report.presets, [PRESET_RANGE, ""]);
    assertEquals(report.reached, [true, true]);
    for (const refusal of report.left) {
      assertMatch(`${refusal}`, /of network net:\[\d+\] as this thread is in/);
    }
    assertMatch(
      `${report.backwards[0]}`,
      /to 40000 30000 as the kernel does not take the value: it stays at/,
    );
    assertEquals(report.backwards[1], PRESET_RANGE);
    assertMatch(`${report.absent}`, /as the kernel has none of that name in this network$/);
    assertMatch(`${report.forbidden}`, /as the system does not permit it$/);
    for (const refusal of report.misnamed) assertMatch(`${refusal}`, /^TypeError: Cannot find setting/);
    assertEquals(readNetworkSetting(RANGE), before);
  });

  Deno.test("without the right to it there is no fresh network, and how to have it is told", async () => {
    // Its user is mapped to no one, and so has no right to anything.
    await using child = startChild("_fresh_network_child.ts", rights, ["unshare", "--user"]);
    const { refusal } = await child.next() as { refusal?: string };
    assertMatch(`${refusal}`, /as this process may not administer its network: start it under unshare/);
  });

  Deno.test("a thread goes where a process is, with the workers that it makes there, and comes back", async () => {
    const more = ["--allow-run=cat"];
    await using child = startChild("_network_of_child.ts", [...rights, ...more], UNSHARE);
    const report = await child.next() as Record<string, unknown>;
    assertEquals([report.before, report.fromHome], [[true, false], null]);
    assertEquals(report.there, [false, true, true]);
    assert([30_000, 30_001].includes(Number(report.fromThere)), `${report.fromThere}`);
    assertEquals([report.after, report.stays], [[true, false, false], true]);
    // Its parent is this process, in the machine's network.
    assertMatch(
      `${report.machine}`,
      /Cannot keep the network of process \d+ as it cannot be opened: it is not of this run/,
    );
    assertMatch(`${report.gone}`, /^NotFound: Cannot keep the network of process \d+ as there is no such/);
  });

  Deno.test("the machine's network is nobody's own", () => {
    assertThrows(() => OwnNetwork.adopt(), Error, "the machine's own");
    assertThrows(() => enterNetworkOf(Deno.pid), Error, "the machine's own");
  });
}
