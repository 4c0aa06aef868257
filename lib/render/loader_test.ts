import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Figure } from "../record/mod.ts";
import { loaderBundle } from "./loader.ts";
import { mimeBundle } from "./mime.ts";

const bar: Figure = { data: [{ type: "bar", x: ["a"], y: [1] }], layout: {} };
const line: Figure = { data: [{ type: "scatter", x: [1, 2], y: [1, 2] }], layout: {} };
const sankey: Figure = {
  data: [{ type: "sankey", node: { label: ["a", "b"] }, link: { source: [0], target: [1], value: [1] } }],
  layout: {},
};

async function html(bundle: Promise<Record<string, unknown>>): Promise<string> {
  return (await bundle)["text/html"] as string;
}

const barHtml = await html(mimeBundle(bar));
const lineHtml = await html(mimeBundle(line));
const sankeyHtml = await html(mimeBundle(sankey));
const small = await html(loaderBundle());
const full = await html(loaderBundle({ edition: "full" }));

interface PageElement {
  innerHTML: string;
  textContent: string;
  remove(): void;
  append(child: PageElement): void;
  replaceWith(other: PageElement): void;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** As much of jsdom's window as a page needs here. */
interface PageWindow {
  readonly document: PageElement & { readonly body: PageElement; createElement(tag: string): PageElement };
  Plotly?: unknown;
  [name: string]: unknown;
}

interface Page {
  readonly window: PageWindow;
  /** The traces of what was drawn, in order, each with the edition that drew it. */
  readonly drawn: readonly string[];
  /** Adds an output as notebook front ends do, running its scripts afterwards. Returns its element. */
  add(output: string): PageElement;
  /** Waits until so many figures have been drawn, and for what else is under way. */
  settle(count: number): Promise<void>;
  /** How many pictures are left. */
  pictures(): number;
}

/**
 * A page without a screen in which the loader's plotly.js is unpacked for real, and then stood in for by one
 * that only notes what it is told to draw.
 */
async function openPage(
  outputs: readonly string[],
  prepare: (window: PageWindow) => void = () => {},
): Promise<Page> {
  const { JSDOM } = await import("jsdom");
  const drawn: string[] = [];
  const plotly = (source: string) => ({
    newPlot(_: unknown, { data }: Figure) {
      drawn.push(
        `${data.map(({ type }) => type)} by ${source.match(/plotly\.js (?:\((\w+) )?/)?.[1] ?? "full"}`,
      );
      return Promise.resolve();
    },
  });
  const { window }: { window: PageWindow } = new JSDOM(`<!DOCTYPE html><body>${outputs.join("")}</body>`, {
    runScripts: "dangerously",
    beforeParse(window: PageWindow) {
      Object.assign(window, { Blob, Response, DecompressionStream });
      window.Function = function (...given: string[]) {
        assertEquals(given.slice(0, -1), ["module", "exports", "define", "require"]);
        return (module: { exports: unknown }) => {
          window.Plotly = module.exports = plotly(given.at(-1)!.slice(0, 300));
        };
      };
      prepare(window);
    },
  });
  return {
    window,
    drawn,
    add(output) {
      const host = window.document.createElement("div");
      host.innerHTML = output;
      for (const script of host.querySelectorAll("script")) {
        const running = window.document.createElement("script");
        running.textContent = script.textContent;
        script.replaceWith(running);
      }
      window.document.body.append(host);
      return host;
    },
    async settle(count) {
      for (let turn = 0; turn < 400 && drawn.length < count; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      // One that should not be drawn has had its chance once the last one that should has been.
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
    pictures: () => [...window.document.querySelectorAll("[data-connlab-figure] img")].length,
  };
}

async function check(outputs: readonly string[], drawn: readonly string[], pictures = 0): Promise<void> {
  const page = await openPage(outputs);
  await page.settle(drawn.length);
  assertEquals([...page.drawn].sort(), [...drawn].sort());
  assertEquals(page.pictures(), pictures);
}

Deno.test("loaderBundle carries plotly.js with its licence, and nothing from the network", async () => {
  const bundle = await loaderBundle();
  assertEquals(Object.keys(bundle), ["text/html", "text/plain"]);
  assertMatch(bundle["text/plain"] as string, /^plotly\.js 3\.\d+\.\d+ \(MIT licence\)/);
  for (
    const text of [
      "MIT License",
      "Permission is hereby granted, free of charge",
      "WITHOUT WARRANTY OF ANY KIND",
    ]
  ) {
    assert(small.includes(text), text);
  }
  assertEquals(small.match(/<script>/g)?.length, 1);
  assertEquals(small.match(/\ssrc=|import\(|fetch\(/), null);
  assert(small.length < 700_000, `${small.length}`);
});

Deno.test("figures are drawn when the loader comes first", () =>
  check([small, barHtml, lineHtml], ["bar by cartesian", "scatter by cartesian"]));

Deno.test("figures are drawn when the loader comes last", () =>
  check([barHtml, lineHtml, small], ["bar by cartesian", "scatter by cartesian"]));

Deno.test("figures are drawn once when the loader comes twice", () =>
  check([small, barHtml, small, lineHtml], ["bar by cartesian", "scatter by cartesian"]));

Deno.test("a figure shown twice is drawn twice", () =>
  check([barHtml, barHtml, small, barHtml], Array(3).fill("bar by cartesian")));

Deno.test("figures stay pictures without a loader", () => check([barHtml, lineHtml], [], 2));

Deno.test("the full edition draws every figure", () =>
  check([sankeyHtml, barHtml, full], ["sankey by full", "bar by full"]));

Deno.test("a figure that needs the full edition waits for it beside the small one", async () => {
  await check([sankeyHtml, barHtml, small], ["bar by cartesian"], 1);
  await check([sankeyHtml, small, barHtml, full], ["bar by cartesian", "sankey by full"]);
});

Deno.test("outputs may be added, run again and deleted in a page in any order", async () => {
  const page = await openPage([]);
  const first = page.add(barHtml);
  page.add(lineHtml);
  first.remove();
  const loader = page.add(small);
  await page.settle(2);
  loader.remove();
  page.add(barHtml);
  page.add(small);
  page.add(barHtml);
  await page.settle(4);
  assertEquals(page.drawn.length, 4);
  assertEquals(page.pictures(), 0);
});

Deno.test("the loader leaves the page's own plotly and module loader alone", async () => {
  const own = { own: true };
  const define = Object.assign(() => {
    throw new Error("The loader must not call define");
  }, { amd: {} });
  const prepare = (window: PageWindow) =>
    Object.assign(window, { Plotly: own, define, module: { exports: {} } });
  const page = await openPage([small, barHtml], prepare);
  await page.settle(1);
  assertEquals(page.drawn, ["bar by cartesian"]);
  assertEquals(page.window.Plotly, own);
  const without = await openPage([small, barHtml]);
  await without.settle(1);
  assertEquals("Plotly" in without.window, false);
});

Deno.test("the loader's own script runs plotly.js itself when nothing stands in for it", async () => {
  const { JSDOM } = await import("jsdom");
  const { window }: {
    window: PageWindow & { connlabFigures: Record<string, { push(draw: unknown): void }> };
  } = new JSDOM(`<!DOCTYPE html><body>${small}</body>`, {
    runScripts: "dangerously",
    beforeParse(window: PageWindow & { URL: Record<string, unknown> }) {
      Object.assign(window, { Blob, Response, DecompressionStream });
      window.URL.createObjectURL = () => "";
    },
  });
  const [name] = Object.keys(window.connlabFigures);
  const version = await new Promise((resolve) =>
    window.connlabFigures[name!]!.push((plotly: { version: string }) => resolve(plotly.version))
  );
  assertMatch(version as string, /^3\.\d+\.\d+$/);
  assertEquals("Plotly" in window, false);
});
