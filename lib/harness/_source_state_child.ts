/**
 * A process of the tests, which may start git: makes a repository in the folder that it is given, with a copy
 * of the lab in it, and tells what {@linkcode readSourceState} says of both.
 */
import { readSourceState } from "./source_state.ts";

const [outer] = Deno.args as [string];
const inner = `${outer}/lib`;

async function git(...args: string[]): Promise<void> {
  const person = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
  const { success } = await new Deno.Command("git", { args: [...person, ...args], cwd: outer }).output();
  if (!success) throw new Error(`git ${args.join(" ")} failed`);
}

let hasGit = true;
Deno.mkdirSync(inner);
Deno.writeTextFileSync(`${inner}/a.ts`, "");
try {
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "First");
} catch (error) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
  hasGit = false;
}
const committed = await readSourceState(outer);
const within = await readSourceState(inner);
Deno.env.set("GIT_DIR", `${outer}/.git`);
const withVariable = await readSourceState(inner);
Deno.env.delete("GIT_DIR");
Deno.writeTextFileSync(`${outer}/notes.md`, "");
const besides = await readSourceState(outer);
Deno.writeTextFileSync(`${inner}/a.ts`, "1;");
const changed = await readSourceState(outer);
console.log(JSON.stringify({ hasGit, committed, within, withVariable, besides, changed }));
