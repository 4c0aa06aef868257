import type { SourceState } from "../system/mod.ts";
import { LAB_PATH } from "./layout.ts";

/** The parts of the lab that decide what is measured. */
const DECISIVE = ["lib", "servers", "deno.json", "deno.lock"];

/**
 * Tells the commit of the lab, and whether what decides a measurement was as committed. A copy without
 * git, or a machine without it, gives `null` with the reason.
 *
 * @returns the state
 */
export async function readSourceState(): Promise<SourceState> {
  try {
    const [commit, changes] = await Promise.all([
      git("rev-parse", "HEAD"),
      git("status", "--porcelain", "--", ...DECISIVE),
    ]);
    return { commit: commit.trim(), clean: changes.trim() === "", reason: null };
  } catch (error) {
    return { commit: null, clean: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function git(...args: string[]): Promise<string> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("git", { args, cwd: LAB_PATH, stdin: "null" }).output();
  } catch {
    throw new Error("git could not be started");
  }
  if (!output.success) throw new Error("git does not know the lab's folder as a checkout with a commit");
  return new TextDecoder().decode(output.stdout);
}
