import { assert, assertEquals } from "@std/assert";
import { openBrowser } from "./browser.ts";
import { countShown, waitForPlots } from "./figures.ts";
import { COMMITTED, figuresOf, outline, QUICK, readNotebook, runOurs } from "./notebook.ts";
import { Workspace } from "./workspace.ts";

const TIMES = 20;
const AT_ONCE = 2;

/**
 * Runs nbconvert. It chooses its kernel's ports before the kernel takes them, and another kernel that starts meanwhile may
 * have one by then: that is tried again.
 */
async function nbconvert(workspace: Workspace, ...args: string[]): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      await workspace.run(["jupyter", "nbconvert", ...args]);
      return;
    } catch (error) {
      if (tries === 3 || !(error as Error).message.includes("Address already in use")) throw error;
    }
  }
}

Deno.test("nbconvert keeps every output of the committed notebook, every time", async () => {
  await using workspace = await Workspace.open();
  const ours = await runOurs(workspace);
  assert(figuresOf(ours) > 0);
  const expected = outline(ours);
  assertEquals(outline(await readNotebook(`${workspace.root}/${COMMITTED}`)), expected);

  const execute = async (time: number) => {
    const name = `executed-${time}.ipynb`;
    await nbconvert(workspace, "--execute", "--to", "notebook", "--output", name, QUICK);
    return outline(await readNotebook(`${workspace.root}/notebooks/${name}`));
  };
  for (let time = 0; time < TIMES; time += AT_ONCE) {
    // Settled, so that none is still at work when one has failed.
    const executed = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, (_, index) => execute(time + index)),
    );
    for (const result of executed) {
      if (result.status === "rejected") throw result.reason;
      assertEquals(result.value, expected, `time ${time}`);
    }
  }
});

Deno.test("the committed notebook as HTML draws its plots without a network, and shows pictures without scripts", async () => {
  await using workspace = await Workspace.open();
  const figures = figuresOf(await runOurs(workspace));
  assert(figures > 0);
  await nbconvert(workspace, "--execute", "--to", "html", "--output", "executed", QUICK);
  await nbconvert(workspace, "--to", "html", "--output", "committed", COMMITTED);

  await using browser = await openBrowser();
  for (const name of ["executed", "committed"]) {
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled, offline: true });
      const page = await context.newPage();
      await page.goto(`file://${workspace.root}/notebooks/${name}.html`);
      if (javaScriptEnabled) await waitForPlots(page, figures);
      const [plots, pictures] = javaScriptEnabled ? [figures, 0] : [0, figures];
      assertEquals(await countShown(page), { plots, pictures }, name);
      await context.close();
    }
  }
});
