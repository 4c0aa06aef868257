import { assert, assertEquals, assertMatch } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";

Deno.test("readSourceState() tells the commit of the lab's own repository, and of no other", async () => {
  using folder = new TemporaryFolder();
  const child = new URL("_source_state_child.ts", import.meta.url).href;
  const rights = ["--allow-run=git", "--allow-env=GIT_DIR", "--allow-read", `--allow-write=${folder.path}`];
  const { stdout, stderr, success } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", ...rights, child, folder.path],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const states = JSON.parse(new TextDecoder().decode(stdout));
  const { hasGit, committed, within, withVariable, besides, changed } = states;
  if (!hasGit) return assertEquals(committed.reason, "git could not be started");
  assertMatch(committed.commit, /^[0-9a-f]{40}$/);
  assertEquals(committed, { commit: committed.commit, clean: true, reason: null });
  assertEquals(besides, committed);
  assertEquals(changed, { ...committed, clean: false });
  const none = "git does not know the lab's folder as a checkout with a commit";
  for (const state of [within, withVariable]) {
    assertEquals(state, { commit: null, clean: null, reason: none });
  }
});
