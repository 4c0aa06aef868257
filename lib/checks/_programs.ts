/**
 * The programs beside which a bench measures. None has to be there.
 */
import { libcPath } from "../system/mod.ts";

const path = (name: string) => new URL(name, import.meta.url).pathname;

/**
 * The command line of a TypeScript program of this folder that calls the C library.
 *
 * @param name its file
 * @param options further rights, and its words
 * @returns the words
 */
export function ownProgram(
  name: string,
  { rights = [], args = [] }: { rights?: readonly string[]; args?: readonly string[] } = {},
): string[] {
  const base = [
    "--no-prompt",
    "--frozen",
    `--config=${path("../../deno.json")}`,
    `--allow-ffi=${libcPath()}`,
  ];
  return ["deno", "run", "--quiet", ...base, ...rights, path(name), ...args];
}

/**
 * Compiles a C program of this folder.
 *
 * @param name its file
 * @param into where the program is put
 * @returns `false` where there is no compiler (`cc`)
 * @throws {Error} it does not compile
 */
export async function compile(name: string, into: string): Promise<boolean> {
  try {
    const args = ["-O2", "-o", into, path(name)];
    const { success } = await new Deno.Command("cc", { args, stderr: "inherit" }).output();
    if (!success) throw new Error(`${name} does not compile`);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Whether a program is installed.
 *
 * @param program its name
 * @returns whether a folder of `PATH` has it
 */
export function isHere(program: string): boolean {
  return (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch {
      return false;
    }
  });
}

/**
 * The command line that runs a program on one processor.
 *
 * @param processor which; `null` for any
 * @param command the program and its words
 * @returns the words
 */
export function pinned(processor: number | null, command: readonly string[]): string[] {
  return [...(processor === null ? ["env"] : ["taskset", "--cpu-list", `${processor}`]), ...command];
}
