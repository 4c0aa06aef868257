import { loadTables, requestColumns } from "../_shared/load_tables.ts";

/** The raw tables: those of every load, and where they are asked for its requests. */
export const tables = { ...loadTables, requests: requestColumns };

/** See {@linkcode tables}. */
export type Tables = typeof tables;
