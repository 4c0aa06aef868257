/**
 * Percentiles, tails, bootstrap intervals, change-points, decimation, and the one generator of random
 * numbers. Pure.
 *
 * @module
 */
export * from "./bootstrap.ts";
export * from "./change_point.ts";
export * from "./downsample.ts";
export * from "./exceedance.ts";
export * from "./linear_fit.ts";
export * from "./quantile.ts";
export * from "./random.ts";
