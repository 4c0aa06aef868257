import type { Edition } from "./drawable.ts";

/** plotly.js as its package carries it. */
export interface PlotlySource {
  /** The minified source. */
  readonly source: string;
  /** The text of its licence. */
  readonly licence: string;
}

/** The source of an edition, read when it is first needed: it is megabytes of text. */
export function plotlySource(edition: Edition): Promise<PlotlySource> {
  return edition === "full" ? import("./_plotly_full.ts") : import("./_plotly_cartesian.ts");
}

/** The version that the source states in its first lines. */
export function plotlyVersion(source: string): string {
  const version = source.slice(0, 300).match(/\bv(\d+\.\d+\.\d+)/)?.[1];
  if (version === undefined) throw new Error("Cannot load plotly.js as its source states no version");
  return version;
}
