import type { FailureName, Side } from "../../record/mod.ts";

/**
 * The name of the metric that counts one kind of failure on one side.
 *
 * @param kind the kind
 * @param side whose limit or fault it is
 * @returns both in camel case
 *
 * @example
 * ```ts
 * import { kindName } from "./kind_name.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(kindName("local-ports-exhausted", "client"), "localPortsExhaustedClient");
 * ```
 */
export function kindName(kind: FailureName, side: Side): string {
  const upper = (_: string, letter: string) => letter.toUpperCase();
  return kind.replace(/-(\w)/g, upper) + side.replace(/^(\w)/, upper);
}
