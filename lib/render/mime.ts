import type { Figure, Trace } from "../record/mod.ts";
import { queueName, scriptLiteral } from "./_html.ts";
import { plotlySource, plotlyVersion } from "./_plotly.ts";
import { sizeOf } from "./_size.ts";
import { assertDrawable } from "./drawable.ts";
import { escapeHtml } from "./escape_html.ts";
import { renderPng } from "./png.ts";

const CONFIG = {
  displaylogo: false,
  modeBarButtonsToRemove: ["zoomIn2d", "zoomOut2d", "autoScale2d", "select2d", "lasso2d"],
};

function plainText(markup: unknown): string {
  return typeof markup === "string" ? markup.replace(/<br\s*\/?>/gi, " ").replace(/<[^>]*>/g, "").trim() : "";
}

function titleOf({ layout: { title } }: Figure): string {
  const text = typeof title === "object" && title !== null && "text" in title ? title.text : title;
  return plainText(text) || "Untitled figure";
}

function describeTrace(trace: Trace): string {
  const lengths = [trace.x, trace.y, trace.z, trace.values, trace.r].filter(Array.isArray)
    .map(({ length }) => length);
  const points = lengths.length === 0 ? "" : ` of ${Math.max(...lengths)}`;
  return `${plainText(trace.name) || "unnamed"}: ${trace.type}${points}`;
}

/** The runs that a figure says it was made from. */
function runsOf({ layout: { meta } }: Figure): unknown[] {
  const { run, runs = [run] } = (meta ?? {}) as { run?: unknown; runs?: unknown };
  return [runs].flat().map((one) => typeof one === "object" && one !== null && "run" in one ? one.run : one)
    .filter((id) => typeof id === "string");
}

function describeFigure(figure: Figure): string {
  const runs = runsOf(figure).map((id) => `run ${id}`);
  return [titleOf(figure), ...figure.data.map((trace) => `  ${describeTrace(trace)}`), ...runs].join("\n");
}

async function keyOf(json: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(json));
  return new Uint8Array(digest).subarray(0, 8).toHex();
}

/**
 * The picture, and the script that puts the plot in its place. The script looks for every element of this
 * figure that no other has taken: that is right when the figure is shown twice, and in front ends that run a
 * script somewhere else than where it stands.
 */
async function interactiveHtml(figure: Figure, png: string): Promise<string> {
  const edition = assertDrawable(figure);
  const { source } = await plotlySource(edition);
  const queue = queueName(edition, plotlyVersion(source));
  const size = sizeOf(figure, {});
  const drawn = { data: figure.data, layout: { ...figure.layout, ...size }, config: CONFIG };
  const key = await keyOf(JSON.stringify(drawn));
  const alt = escapeHtml(`${titleOf(figure)} (${figure.data.map(describeTrace).join(", ")})`);
  return `<div data-connlab-figure="${key}" style="max-width:100%;overflow-x:auto">` +
    `<img alt="${alt}" width="${size.width}" height="${size.height}" style="max-width:100%;height:auto" ` +
    `src="data:image/png;base64,${png}"></div>
<script>
(() => {
  const shelf = window.connlabFigures ??= {};
  const taken = shelf.taken ??= new WeakSet();
  const figure = () => (${scriptLiteral(drawn)});
  for (const host of document.querySelectorAll('[data-connlab-figure="${key}"]')) {
    if (taken.has(host)) continue;
    taken.add(host);
    (shelf[${scriptLiteral(queue)}] ??= []).push(async (Plotly) => {
      const plot = document.createElement("div");
      host.append(plot);
      try {
        await Plotly.newPlot(plot, figure());
        host.replaceChildren(plot);
      } catch (error) {
        plot.remove();
        throw error;
      }
    });
  }
})();
</script>`;
}

/**
 * A figure as an output that every front end can show: the plotly figure itself, an interactive plot that is
 * a picture until the page has run a loader (see `loaderBundle`) and stays one where scripts do not run, the
 * picture alone, and a few words.
 *
 * @param figure the figure
 * @returns the output by MIME type: `application/vnd.plotly.v1+json`, `text/html`, `image/png` (base64) and
 * `text/plain`
 * @throws {TypeError} the figure cannot be drawn; see {@linkcode assertDrawable}
 *
 * @example
 * ```ts ignore
 * import { mimeBundle } from "./mime.ts";
 * const data = await mimeBundle({ data: [{ type: "bar", x: ["new"], y: [81] }], layout: {} });
 * await Deno.jupyter.broadcast("display_data", { data, metadata: {}, transient: {} });
 * ```
 */
export async function mimeBundle(figure: Figure): Promise<Record<string, unknown>> {
  const png = (await renderPng(figure)).toBase64();
  return {
    "application/vnd.plotly.v1+json": { data: figure.data, layout: figure.layout },
    "text/html": await interactiveHtml(figure, png),
    "image/png": png,
    "text/plain": describeFigure(figure),
  };
}
