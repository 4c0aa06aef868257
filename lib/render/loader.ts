import { gzipSync } from "node:zlib";
import { queueName, scriptLiteral } from "./_html.ts";
import { plotlySource, plotlyVersion } from "./_plotly.ts";
import type { Edition } from "./drawable.ts";

/** Which plotly.js is carried. */
export interface LoaderOptions {
  /**
   * The edition: `full` (2 MB) is for notebooks with figures for which `assertDrawable` says so, and draws
   * the others too.
   *
   * @default {"cartesian"}
   */
  edition?: Edition;
}

/**
 * An output that carries plotly.js, compressed, for every figure in the page: shown once a notebook, in an
 * output of its own. Figures may stand before it or after it, in any number; it may be shown again, or be
 * missing, in which case figures stay the pictures that they are. Nothing comes from the network, and no
 * global `Plotly` of the page's own is touched.
 *
 * @param options which edition
 * @returns the output by MIME type
 *
 * @example
 * ```ts ignore
 * import { loaderBundle } from "./loader.ts";
 * await Deno.jupyter.broadcast("display_data", { data: await loaderBundle(), metadata: {}, transient: {} });
 * ```
 */
export async function loaderBundle(options: LoaderOptions = {}): Promise<Record<string, unknown>> {
  const { edition = "cartesian" } = options;
  const { source, licence } = await plotlySource(edition);
  const version = plotlyVersion(source);
  const editions: Edition[] = edition === "full" ? ["full", "cartesian"] : ["cartesian"];
  const names = editions.map((edition) => queueName(edition, version));
  const packed = gzipSync(source, { level: 9 }).toString("base64");
  // The bundle looks for module loaders such as RequireJS and writes `window.Plotly`: it gets a module of its
  // own, and what the page had comes back.
  const html = `<script>
/*! plotly.js ${version}, https://plotly.com/javascript/

${licence.trim()}
*/
(() => {
  const shelf = window.connlabFigures ??= {};
  const unpack = async () => {
    const bytes = Uint8Array.from(atob(${scriptLiteral(packed)}), (character) => character.charCodeAt(0));
    const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const source = await new Response(unzipped).text();
    const had = Object.getOwnPropertyDescriptor(window, "Plotly");
    const module = { exports: {} };
    new Function("module", "exports", "define", "require", source)(module, module.exports);
    delete window.Plotly;
    if (had) Object.defineProperty(window, "Plotly", had);
    return module.exports;
  };
  let plotly;
  for (const name of ${scriptLiteral(names)}) {
    const waiting = shelf[name] ?? [];
    if (!Array.isArray(waiting)) continue;
    const push = (draw) => (plotly ??= unpack()).then(draw).catch((error) => console.warn("connlab:", error));
    shelf[name] = { push };
    waiting.forEach(push);
  }
})();
</script>`;
  return {
    "text/html": html,
    "text/plain": `plotly.js ${version} (MIT licence), for the figures of this notebook`,
  };
}
