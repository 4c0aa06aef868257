/**
 * Reads and writes `data/`: a run is a folder with a Data Package descriptor and a CSV file a table.
 *
 * @module
 */
export * from "./csv_format.ts";
export * from "./csv_reader.ts";
export * from "./errors.ts";
export * from "./manifest_file.ts";
export * from "./project.ts";
export * from "./run_id.ts";
export * from "./run_reader.ts";
export * from "./run_writer.ts";
export * from "./runs.ts";
export * from "./stored_run.ts";
export * from "./summary.ts";
export * from "./verify.ts";
