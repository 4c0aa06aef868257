import { assertEquals } from "@std/assert";
import type { RunDocument } from "./run_text.ts";

/** The folder of the lab. */
export const ROOT: URL = new URL("../..", import.meta.url);

/** An experiment that sleeps. */
export const NAPPING: string = new URL("../harness/fixtures/napping.ts", import.meta.url).pathname;

/** What a command came to. */
export interface Outcome {
  /** Its exit status. */
  readonly code: number;
  /** Its standard output. */
  readonly out: string;
  /** Its standard error. */
  readonly err: string;
}

/** `deno task lab …`, to be run, perhaps with further variables of the environment. */
export function command(args: readonly string[], env: Readonly<Record<string, string>> = {}): Deno.Command {
  return new Deno.Command("deno", {
    args: ["task", "--quiet", "lab", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Reads what a command wrote. */
export async function outcome(output: Promise<Deno.CommandOutput>): Promise<Outcome> {
  const { code, stdout, stderr } = await output;
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  return { code, out, err };
}

/** What a person gets who types `deno task lab …`. */
export function lab(...args: string[]): Promise<Outcome> {
  return outcome(command(args).output());
}

/** A run that completes, as `--json` prints it. */
export async function run(...args: string[]): Promise<RunDocument> {
  const { code, out, err } = await lab("run", ...args, "--json");
  assertEquals(code, 0, err);
  return JSON.parse(out);
}

/** The values of one metric, by variant. */
export function valuesOf({ summary }: RunDocument, name: string): Record<string, number | null> {
  return Object.fromEntries(
    summary.filter((metric) => metric.name === name).map(({ variant, value }) => [variant, value]),
  );
}

/** Runs a shell script. `unshare` without options is a program that may be started and starts another. */
export function shell(script: string): Promise<Outcome> {
  const args = ["sh", "-c", script];
  return outcome(
    new Deno.Command("unshare", { args, cwd: ROOT, env: { NO_COLOR: "1" }, stdin: "null" }).output(),
  );
}
