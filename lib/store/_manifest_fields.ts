import type { Column, ManifestField, TableResource, TableSchema } from "../record/mod.ts";

/**
 * The file of a table, beside the descriptor.
 *
 * @param table the name of the table
 * @returns its path from the folder of the run
 */
export function tablePath(table: string): string {
  return `${table}.csv`;
}

/**
 * A table as the descriptor carries it while its rows are still coming.
 *
 * @param name the name of the table
 * @param schema its columns
 * @returns the resource, without size, hash and rows
 */
export function resourceOf(name: string, schema: TableSchema): TableResource {
  const fields = Object.entries(schema).map(([name, { type, unit, meaning }]): ManifestField => ({
    name,
    type,
    ...(unit === null ? {} : { unit }),
    description: meaning,
  }));
  return {
    name,
    path: tablePath(name),
    type: "table",
    format: "csv",
    mediatype: "text/csv",
    encoding: "utf-8",
    schema: { fields, missingValues: [""] },
  };
}

/**
 * The columns of a table, as its resource has them.
 *
 * @param resource the resource
 * @returns the columns
 */
export function schemaOf(resource: TableResource): TableSchema {
  const columns = resource.schema.fields.map(({ name, type, unit = null, description }): [string, Column] => [
    name,
    { type, unit, meaning: description },
  ]);
  return Object.fromEntries(columns);
}
