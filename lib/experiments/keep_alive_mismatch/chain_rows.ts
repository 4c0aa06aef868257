import type { RowOf } from "../../record/mod.ts";
import { secondsText } from "../_shared/time_text.ts";
import { type Chain, type Hop, judgeChain, type SafeValue } from "./chain.ts";
import { chainsIn } from "./grid.ts";
import { KNOWN_CHAINS } from "./known_chains.ts";
import type { Values } from "./params.ts";
import type { Tables } from "./tables.ts";

/**
 * A time in seconds, as people say it.
 *
 * @param ms the time, in milliseconds; `null` for none
 * @returns such as `2.5 s`
 */
export function seconds(ms: number | null): string {
  return ms === null ? "no limit" : secondsText(ms);
}

function describeHop({ name, role, idleMs, keepsMs, closes }: Hop): string {
  const kept = keepsMs === undefined ? "" : `, ${seconds(keepsMs)} to the next`;
  return `${name} ${seconds(idleMs)}${kept}${role === "middlebox" ? ` (${closes})` : ""}`;
}

function describeValue({ hop, bound, idleMs }: SafeValue): string {
  return `${hop} ${bound} ${seconds(idleMs)}`;
}

function chainRow(
  chain: Chain,
  about: { readonly measured: boolean; readonly source: string | null },
): RowOf<Tables["chains"]> {
  const { verdict, unsafeHop, safeValues } = judgeChain(chain);
  return {
    chain: chain.name,
    measured: about.measured,
    path: chain.hops.map(describeHop).join(" → "),
    verdict,
    unsafeHop,
    safeValues: safeValues.length === 0 ? null : safeValues.map(describeValue).join(", "),
    source: about.source,
  };
}

/**
 * The chains of a run and those known from the field, with what the limits alone say of them.
 *
 * @param values the parameters
 * @returns a row a chain
 */
export function chainRows(values: Values): RowOf<Tables["chains"]>[] {
  return [
    ...chainsIn(values).map((chain) => chainRow(chain, { measured: true, source: null })),
    ...KNOWN_CHAINS.map((chain) => chainRow(chain, { measured: false, source: chain.source })),
  ];
}
