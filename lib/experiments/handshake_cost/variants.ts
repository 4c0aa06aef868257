import { CLIENT_VARIANTS, type ClientVariant } from "../../transport/mod.ts";
import type { Values } from "./params.ts";

/**
 * The variants that a run compares.
 *
 * @param client the clients that were asked for
 * @returns the variants
 */
export function variantsOf(client: Values["client"]): readonly ClientVariant[] {
  return CLIENT_VARIANTS.filter((variant) => client === "both" || variant.startsWith(`${client}/`));
}
