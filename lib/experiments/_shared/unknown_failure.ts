import type { Exchange } from "../../transport/mod.ts";
import type { MeasureContext } from "../contract.ts";

/**
 * Warns of a failure that the list of failures does not know: its row says `other`, so its message must be
 * told elsewhere.
 *
 * @param exchange how the exchange went
 * @param context where warnings go
 */
export function warnOfOther({ failure, error }: Exchange, context: Pick<MeasureContext, "warn">): void {
  if (failure?.kind !== "other") return;
  context.warn({
    code: "unknown-failure",
    message: `A request failed in a way that the lab does not know: ${error}`,
    remedy: "Please report the message",
  });
}
