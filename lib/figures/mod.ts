/**
 * Chart builders: numbers in, a plain plotly figure out. One theme, the same colour for the same variant in
 * every figure, units on the axes, at most 4,000 points. Pure.
 *
 * @module
 */
export * from "./axis.ts";
export * from "./bars.ts";
export * from "./distribution.ts";
export * from "./grouped_points.ts";
export * from "./heading.ts";
export * from "./heatmap.ts";
export * from "./histogram.ts";
export * from "./lanes.ts";
export * from "./overlay.ts";
export * from "./scatter.ts";
export * from "./series.ts";
export * from "./side_by_side.ts";
export * from "./stacked.ts";
export * from "./stamp.ts";
export * from "./timeline.ts";
export type { Figure, Trace, Unit, UNITS } from "../record/mod.ts";
