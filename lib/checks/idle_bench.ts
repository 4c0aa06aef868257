import { readRun } from "../store/mod.ts";
import { ServerProcess } from "../testing/mod.ts";
import { ROOT, timed } from "./_deno_command.ts";
import type { BenchRow } from "./bench_row.ts";

const ORIGIN = new URL("servers/origin.ts", ROOT);

const CONFIGURED_MS: readonly number[] = [1000, 2000, 3000];

/** How far from the setting a limit may be found: `node:http` keeps a connection a second longer than it says. */
const ALLOWED_SHARE = 0.05;
const ALLOWED_MS = 1200;

/** The idle limit of a server that `lab probe idle` finds, in milliseconds; `NaN` when it finds none. */
async function foundMs(configuredMs: number, scratch: string): Promise<number> {
  await using server = await ServerProcess.start(ORIGIN, {
    flags: ["--stack", "node", "--idle-timeout", `${configuredMs}ms`],
  });
  const target = `http://127.0.0.1:${server.port}/static`;
  const args = ["--target", target, "--budget", "20s", "--json", "--data", scratch];
  const { stdout } = await timed(["task", "lab", "probe", "idle", ...args], ROOT);
  const { summary } = await readRun(JSON.parse(stdout).path);
  return summary.find(({ name }) => name === "idleLimitMs")?.value ?? NaN;
}

/**
 * How far the limits that `lab probe idle` finds are from those that the lab's node server is given, at three
 * settings that are probed side by side.
 *
 * @returns the largest distance, as a share of what is allowed
 */
export async function idleBench(): Promise<BenchRow[]> {
  const scratch = await Deno.makeTempDir();
  try {
    const found = await Promise.all(CONFIGURED_MS.map((configuredMs) => foundMs(configuredMs, scratch)));
    const shares = CONFIGURED_MS.map((configuredMs, index) =>
      Math.abs(found[index]! - configuredMs) / Math.max(ALLOWED_SHARE * configuredMs, ALLOWED_MS)
    );
    const seconds = (times: readonly number[], digits: number) =>
      times.map((ms) => (ms / 1000).toFixed(digits)).join(", ");
    return [{
      name: "lab probe idle, off its setting / max(5 %, 1.2 s)",
      ratio: Math.max(...shares),
      target: 1,
      direction: "at most",
      note: `found ${seconds(found, 2)} s where ${seconds(CONFIGURED_MS, 0)} s are set`,
    }];
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}
