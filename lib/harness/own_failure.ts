import { pathToFileURL } from "node:url";
import { LAB_PATH } from "./layout.ts";

const LAB_MODULES = new URL("lib/", `${pathToFileURL(LAB_PATH).href.replace(/\/?$/, "/")}`).href;

/**
 * Why an experiment failed, for people. Where a right is missing Deno names a flag, which nobody gives to a
 * measuring process: what gives it is said instead.
 *
 * @param error what was thrown
 * @returns the reason
 */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof Deno.errors.NotCapable)) return error.message;
  const missing = error.message.replace(/, run again with the --allow-[\w-]+ flag.*$/s, "");
  return missing.startsWith("Requires net ")
    ? `${missing}: name the host in the experiment's needs`
    : `${missing}: a measuring process has no such right`;
}

/**
 * Where an experiment failed: the error with those frames of its stack that are not of the lab or of Deno.
 *
 * @param error what was thrown
 * @returns the error's name, reason and frames; every frame where none is the experiment's
 */
export function failureTrace(error: Error): string {
  const lines = (error.stack ?? `${error}`).replace(error.message, () => failureReason(error)).split("\n");
  const isFrame = (line: string) => /^\s+at /.test(line);
  const isOwn = (line: string) =>
    isFrame(line) && !/\b(?:ext|node):/.test(line) && !line.includes(LAB_MODULES);
  return (lines.some(isOwn) ? lines.filter((line) => !isFrame(line) || isOwn(line)) : lines).join("\n");
}
