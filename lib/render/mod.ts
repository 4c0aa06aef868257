/**
 * Runs and figures become something to look at: tables as text and HTML, a static SVG or PNG, an output of a
 * notebook. plotly.js, jsdom and resvg are loaded when they are first needed.
 *
 * @module
 */
export * from "./drawable.ts";
export * from "./escape_html.ts";
export * from "./grid.ts";
export * from "./loader.ts";
export * from "./mime.ts";
export * from "./number_text.ts";
export * from "./png.ts";
export * from "./printable.ts";
export * from "./run_grids.ts";
export * from "./svg.ts";
export type { Figure, Trace } from "../record/mod.ts";
