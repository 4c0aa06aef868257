/**
 * What a run is: tables and their columns, parameters, metrics, failures, claims, figures, the
 * environment and the manifest that ties them together. Pure.
 *
 * @module
 */
export * from "./claim.ts";
export * from "./command_line.ts";
export * from "./environment.ts";
export * from "./errors.ts";
export * from "./failure.ts";
export * from "./figure.ts";
export * from "./label.ts";
export * from "./manifest.ts";
export * from "./metric.ts";
export * from "./names.ts";
export * from "./negative_values.ts";
export * from "./numbers.ts";
export * from "./param_builders.ts";
export * from "./params.ts";
export * from "./param.ts";
export * from "./pem.ts";
export * from "./run.ts";
export * from "./suggest.ts";
export * from "./symptoms.ts";
export * from "./table.ts";
export * from "./table_data.ts";
export * from "./units.ts";
export * from "./warning.ts";
