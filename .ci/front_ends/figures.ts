import type { Locator, Page } from "playwright-core";

/** What the figures of a page look like. */
export interface Figures {
  /** How many are plots that plotly has drawn. */
  readonly plots: number;
  /** How many are pictures that the browser has decoded and shows. */
  readonly pictures: number;
}

/** The plots that have been drawn. */
function plotsOf(page: Page): Locator {
  return page.locator(".js-plotly-plot").filter({ has: page.locator(".main-svg .trace") });
}

/** Waits until so many plots have been drawn, each in place of its picture. */
export async function waitForPlots(page: Page, count: number): Promise<void> {
  await plotsOf(page).nth(count - 1).waitFor({ state: "attached" });
  await page.locator("[data-connlab-figure]:has(.js-plotly-plot) img").first().waitFor({ state: "detached" });
}

/** Counts the figures of a page. It looks from outside, so that it works with scripts off too. */
export async function countShown(page: Page): Promise<Figures> {
  const plots = await plotsOf(page).count();
  let pictures = 0;
  for (const picture of await page.locator('img[src^="data:image/png"]').all()) {
    const isDecoded = await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0);
    if (isDecoded && await picture.isVisible()) pictures++;
  }
  return { plots, pictures };
}
