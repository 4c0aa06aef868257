import { join } from "node:path";
import type { SourceState } from "../system/mod.ts";
import { LAB_PATH } from "./layout.ts";

/** The parts of the lab that decide what is measured. */
const DECISIVE = ["lib", "servers", "deno.json", "deno.lock"];

/**
 * Tells the commit of the lab, and whether what decides a measurement was as committed. A copy without
 * git, also one inside another project, or a machine without it, gives `null` with the reason.
 *
 * @param folder the folder of the lab
 * @returns the state
 */
export async function readSourceState(folder: string = LAB_PATH): Promise<SourceState> {
  try {
    const [commit, changes] = await Promise.all([
      git(folder, "rev-parse", "HEAD"),
      git(folder, "status", "--porcelain", "--", ...DECISIVE),
    ]);
    return { commit: commit.trim(), clean: changes.trim() === "", reason: null };
  } catch (error) {
    return { commit: null, clean: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A git that waits for something, such as a file system that is away, is not waited for. */
const GIT_LIMIT_MS = 2000;

async function git(folder: string, ...args: string[]): Promise<string> {
  let output: Deno.CommandOutput;
  // Git looks further up, and at its variables: the repository is the folder's own, or there is none.
  const own = [`--git-dir=${join(folder, ".git")}`, `--work-tree=${folder}`];
  const signal = AbortSignal.timeout(GIT_LIMIT_MS);
  try {
    output = await new Deno.Command("git", { args: [...own, ...args], cwd: folder, stdin: "null", signal })
      .output();
  } catch {
    throw new Error("git could not be started");
  }
  if (signal.aborted) throw new Error(`git did not answer within ${GIT_LIMIT_MS / 1000} s`);
  if (!output.success) throw new Error("git does not know the lab's folder as a checkout with a commit");
  return new TextDecoder().decode(output.stdout);
}
