import { join } from "node:path";

const SUFFIX_LENGTH = 4;
const ATTEMPTS = 100;
const RUN_ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-z]+$/;

/**
 * A run id: when the run began, in UTC, and a few random characters. It sorts by time and is a file name
 * everywhere, also where upper and lower case are the same.
 *
 * @param started when the run began
 * @param random random numbers in [0, 1)
 * @returns the id
 *
 * @example
 * ```ts
 * import { runId } from "./run_id.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(runId(new Date("2026-12-01T10:15:00.250Z"), () => 0.5), "20261201T101500Z-iiii");
 * ```
 */
export function runId(started: Date, random: () => number): string {
  const time = started.toISOString().replace(/\.\d+/, "").replace(/[-:]/g, "");
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => Math.floor(random() * 36).toString(36)).join("");
  return `${time}-${suffix}`;
}

/**
 * When a run began, as its id has it.
 *
 * @param id the run id
 * @returns the time in ISO 8601, UTC; `null` when the text is no run id
 */
export function runIdTime(id: string): string | null {
  const match = RUN_ID.exec(id);
  if (!match) return null;
  const [, year, month, day, hour, minute, second] = match;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
}

/**
 * Makes the folder of a new run. Two runs that begin at the same moment get a folder each.
 *
 * @param parent the folder of the experiment's runs
 * @param started when the run began
 * @param random random numbers in [0, 1)
 * @returns the run id, which is the folder's name
 * @throws {Deno.errors.AlreadyExists} no free name was found
 */
export function makeRunFolder(parent: string, started: Date, random: () => number): string {
  for (let attempt = 1;; attempt++) {
    const id = runId(started, random);
    try {
      Deno.mkdirSync(join(parent, id));
      return id;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists) || attempt === ATTEMPTS) throw error;
    }
  }
}
