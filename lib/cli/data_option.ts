import { dataDirectory } from "../store/mod.ts";
import type { Option, Parsed } from "./options.ts";
import { workingFolder } from "./working_folder.ts";

/** The option that names the folder of the runs. */
export const DATA: Option = {
  name: "data",
  value: "DIR",
  help: "Where the runs are (default: data/ of the project)",
};

/**
 * The folder of the runs.
 *
 * @param options what was written
 * @returns its absolute path
 */
export function dataFolder(options: Parsed["options"]): string {
  return dataDirectory(options.data as string | undefined, workingFolder());
}
