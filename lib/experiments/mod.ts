/**
 * The experiments: one question about connections each, with its parameters, its measurement, its
 * summary, its figures and its claims.
 *
 * @module
 */
export * from "./contract.ts";
export * from "./describe_experiment.ts";
export * from "./find_problem.ts";
export * from "./registry.ts";
export * from "./server_ends.ts";
