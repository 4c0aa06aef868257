import type { Prepared } from "../experiments/mod.ts";
import type { PlannedRun } from "./plan.ts";

/**
 * Lets an experiment make what one run needs and nothing records. It goes to the standard input of the
 * processes that it is for, and nowhere else.
 *
 * @param planned the run
 * @returns what each server is told, and what the measuring process finds
 * @throws {Error} it speaks to a server that the run does not have, or has other than text for the measuring
 * process
 */
export async function prepareRun(
  { experiment, values, servers: specs }: PlannedRun,
): Promise<Required<Prepared>> {
  const { servers = {}, measure = {} }: Prepared = await experiment.prepare?.(values) ?? {};
  const keys = specs.map(({ name, as = name }) => as);
  const stranger = Object.keys(servers).find((key) => !keys.includes(key));
  if (stranger !== undefined) {
    const known = keys.length === 0 ? "it has none" : `its servers are ${keys.join(", ")}`;
    throw new Error(`Cannot prepare run as it has no server ${stranger} to tell something: ${known}`);
  }
  const odd = Object.entries(measure).find(([, value]) => typeof value !== "string");
  if (odd === undefined) return { servers, measure };
  throw new Error(`Cannot prepare run as what the measuring process finds must be text: ${odd[0]} is not`);
}
