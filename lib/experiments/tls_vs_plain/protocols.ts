import type { TableData } from "../../record/mod.ts";

/** The protocols that a variant's rounds were made over. */
export interface Protocols {
  /** The variant. */
  readonly variant: string;
  /** The protocols, in order. */
  readonly names: readonly string[];
  /** Why the protocol of a round is not known; `null` when all are. */
  readonly reason: string | null;
}

/**
 * The protocols that a variant's rounds were made over.
 *
 * @param rounds the table of rounds
 * @param variant the variant
 * @returns the protocols
 */
export function protocolsOf(rounds: TableData, variant: string): Protocols {
  const variants = rounds.texts("variant");
  const names = rounds.texts("protocol");
  const rows = [...variants.keys()].filter((row) => variants[row] === variant);
  const unknown = rows.find((row) => names[row] === null);
  return {
    variant,
    names: [...new Set(rows.flatMap((row) => names[row] ?? []))].sort(),
    reason: unknown === undefined
      ? null
      : rounds.texts("protocolReason")[unknown] ?? "The protocol is not known",
  };
}

/**
 * Why variants may not be compared for the protocols that they spoke: the difference between protocols would
 * be taken for what is compared.
 *
 * @param all the protocols of each variant
 * @returns the reason; `null` when all of them spoke one and the same
 */
export function whyUnlike(all: readonly Protocols[]): string | null {
  const unknown = all.find(({ reason }) => reason !== null);
  if (unknown !== undefined) return `the protocol of ${unknown.variant} is not known: ${unknown.reason}`;
  if (new Set(all.flatMap(({ names }) => names)).size <= 1) return null;
  const spoken = all.map(({ variant, names }) => `${variant} ${names.join(" and ")}`);
  return `they spoke different protocols: ${spoken.join(", ")}`;
}
