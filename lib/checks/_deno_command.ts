/** The folder of the project. */
export const ROOT: URL = new URL("../../", import.meta.url);

/** What a command of `deno` took and said. */
export interface Timed {
  /** How long it took, in milliseconds. */
  readonly elapsedMs: number;
  /** What it wrote on standard output. */
  readonly stdout: string;
}

/**
 * Runs a command of `deno`.
 *
 * @param args its arguments
 * @param cwd the folder in which it runs
 * @returns what it took and said
 * @throws {Error} it failed
 */
export async function timed(args: readonly string[], cwd: URL | string): Promise<Timed> {
  const start = performance.now();
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const elapsedMs = performance.now() - start;
  if (!success) {
    throw new Error(`Cannot time deno ${args.join(" ")} as it failed: ${new TextDecoder().decode(stderr)}`);
  }
  return { elapsedMs, stdout: new TextDecoder().decode(stdout) };
}
