import type { Environment } from "../record/mod.ts";
import { LAB_PATH } from "./layout.ts";

/** The parts of the lab that decide what is measured. */
const DECISIVE = ["lib", "servers", "deno.json", "deno.lock"];

/** The state of the lab's own code, with the reason when it is not known. */
export interface SourceState {
  /** Commit and cleanness. */
  readonly source: Environment["source"];
  /** Why they are `null`, by path. */
  readonly reasons: Readonly<Record<string, string>>;
}

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
    return { source: { commit: commit.trim(), clean: changes.trim() === "" }, reasons: {} };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      source: { commit: null, clean: null },
      reasons: { "source.commit": reason, "source.clean": reason },
    };
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
