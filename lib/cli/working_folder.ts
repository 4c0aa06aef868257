/**
 * The folder in which the person stands. `deno task` moves to the project's root and keeps the folder
 * that it was called from in `INIT_CWD`.
 *
 * @returns its path
 */
export function workingFolder(): string {
  return Deno.env.get("INIT_CWD") || Deno.cwd();
}
