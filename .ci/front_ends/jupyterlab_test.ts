import { assert, assertEquals } from "@std/assert";
import { openBrowser, watchRequests } from "./browser.ts";
import { countShown, waitForPlots } from "./figures.ts";
import { countOutputs, countPlots, JupyterLab, runAll, save, watchProgress } from "./jupyterlab.ts";
import {
  COMMITTED,
  figureCounts,
  figuresOf,
  outline,
  outputCounts,
  QUICK,
  readNotebook,
  runOurs,
} from "./notebook.ts";
import { Workspace } from "./workspace.ts";

Deno.test("JupyterLab runs the notebook: progress moves, no output is missing or misplaced, figures are drawn", async () => {
  await using workspace = await Workspace.open();
  const ours = await runOurs(workspace);
  const figures = figuresOf(ours);
  assert(figures > 0);
  await using lab = await JupyterLab.start(workspace);
  await using browser = await openBrowser();
  const page = await lab.open(browser, QUICK);
  const asked = watchRequests(page);
  const progress = await watchProgress(page);

  await runAll(page, 60_000);
  await waitForPlots(page, figures);
  await save(page);

  const saved = await readNotebook(`${workspace.root}/${QUICK}`);
  assertEquals(outline(saved), outline(ours));
  assertEquals(await countOutputs(page), outputCounts(saved));
  assertEquals(await countPlots(page), figureCounts(saved));
  const values = await progress();
  assert(new Set(values).size >= 2, `progress showed ${values}`);
  assertEquals(values, values.toSorted((a, b) => a - b));

  await page.reload();
  await waitForPlots(page, figures);
  assertEquals(asked, []);
});

Deno.test("JupyterLab shows the pictures of the committed notebook before it is trusted", async () => {
  await using workspace = await Workspace.open();
  const figures = figuresOf(await readNotebook(`${workspace.root}/${COMMITTED}`));
  assert(figures > 0);
  await using lab = await JupyterLab.start(workspace);
  await using browser = await openBrowser();
  const page = await lab.open(browser, COMMITTED);
  await page.locator(".jp-OutputArea-output img").nth(figures - 1).waitFor({ state: "attached" });
  assertEquals(await countShown(page), { plots: 0, pictures: figures });
});
