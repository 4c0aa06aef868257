import type { Edition } from "./drawable.ts";

/**
 * Where in a page figures leave word that they wait to be drawn, and loaders find it: an array in
 * `window.connlabFigures` for each edition of plotly.js. Whichever comes first makes it. A loader puts an
 * object with the same `push` in its place, which draws at once.
 *
 * The name carries plotly's major version, so that figures of different releases of connlab in one page wait
 * for the plotly that they were made for.
 */
export function queueName(edition: Edition, version: string): string {
  return `${edition}-${version.split(".")[0]}`;
}

/** A value as JavaScript inside a `<script>` element: neither `</script>` nor `<!--` can end it. */
export function scriptLiteral(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
