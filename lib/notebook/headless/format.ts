import { stripVTControlCharacters } from "node:util";

interface Formatted {
  /** The formatted text; `null` when it cannot be parsed. */
  readonly text: string | null;
  /** What the formatter complained of. */
  readonly complaint: string;
}

/**
 * Formats the cells of a notebook as `deno fmt` does. A cell that cannot be parsed stays as it is.
 *
 * Needs `--allow-run=deno`.
 *
 * @param text the content of a notebook's file
 * @param cwd the folder whose `deno.json` says how to format
 * @returns the formatted content; the same when the formatter fails
 */
export async function formatNotebook(text: string, cwd: string): Promise<string> {
  return (await format(text, "ipynb", cwd)).text ?? text;
}

/**
 * Why a cell cannot be parsed. The kernel does not tell.
 *
 * Needs `--allow-run=deno`.
 *
 * @param code the cell, TypeScript
 * @returns the parser's complaint, a line each; `null` when it can be parsed
 */
export async function syntaxComplaint(code: string): Promise<string[] | null> {
  const { text, complaint } = await format(code, "ts", ".");
  if (text !== null || !complaint.includes("SyntaxError")) return null;
  const lines = stripVTControlCharacters(complaint).split("\n").map((line) => line.trimEnd());
  // Behind the place comes a trace of the formatter itself.
  const end = lines.findIndex((line) => /^\s+at .*_stdin\.ts/.test(line));
  return lines.slice(0, end < 0 ? 1 : end).map((line) => line.replace(/^error: /, ""));
}

async function format(text: string, extension: string, cwd: string): Promise<Formatted> {
  const child = new Deno.Command("deno", {
    args: ["fmt", `--ext=${extension}`, "-"],
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A formatter that ends early says why on standard error.
  const written = writer.write(new TextEncoder().encode(text)).then(() => writer.close()).catch(() => {});
  const { success, stdout, stderr } = await child.output();
  await written;
  const decoder = new TextDecoder();
  return { text: success ? decoder.decode(stdout) : null, complaint: decoder.decode(stderr) };
}
