import type { Figure } from "../record/mod.ts";

/** Where a figure came from. */
export interface Origin {
  /** The run, `<experiment>/<run id>`. */
  readonly run: string;
  /** The hash of the run's descriptor. */
  readonly hash: string;
}

/**
 * Writes into a figure which run it was made from: in `layout.meta`, which plotly keeps and does not draw.
 *
 * @param figure the figure; it is left as it is
 * @param origin the run and its hash
 * @returns the figure with its origin
 *
 * @example
 * ```ts
 * import { stamp } from "./stamp.ts";
 * import { assertEquals } from "@std/assert";
 * const origin = { run: "handshake-cost/20261201T101500Z-k3f9", hash: "sha256:0a1b" };
 * assertEquals(stamp({ data: [], layout: {} }, origin).layout.meta, origin);
 * ```
 */
export function stamp(figure: Figure, { run, hash }: Origin): Figure {
  return { ...figure, layout: { ...figure.layout, meta: { run, hash } } };
}
