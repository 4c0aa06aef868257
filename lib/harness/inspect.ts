import type { Environment } from "../record/mod.ts";
import type { NamespaceSupport } from "../system/mod.ts";
import { CONFIG_PATH } from "./layout.ts";
import { Program } from "./program.ts";
import { systemRights } from "./rights.ts";

/** What {@linkcode inspectMachine} finds. */
export interface MachineReport {
  /** The machine and its settings, as a run would record them. */
  readonly environment: Environment;
  /** Whether the socket table can be read, and if not, why. */
  readonly socketTable: { readonly available: boolean; readonly reason: string | null };
  /** Whether a run can have a network of its own, and if not, why, and what helps. */
  readonly namespaces: NamespaceSupport;
}

/**
 * Looks at this machine with the rights that a measuring process has, and tries unshare.
 *
 * @returns what was found
 * @throws {Error} the program that looks ended without a word
 */
export async function inspectMachine(): Promise<MachineReport> {
  await using program = new Program(new URL("environment_main.ts", import.meta.url), {
    config: CONFIG_PATH,
    permissions: [...systemRights(), "--allow-run=unshare"],
  });
  const report = await program.next();
  if (report === null) {
    throw new Error("Cannot look at this machine as the program that does ended without a word");
  }
  return report as unknown as MachineReport;
}
