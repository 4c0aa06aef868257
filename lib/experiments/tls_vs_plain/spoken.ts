import type { TableData } from "../../record/mod.ts";

/** What the rounds of a variant spoke: protocols, or versions of TLS. */
export interface Spoken {
  /** The variant. */
  readonly variant: string;
  /** The protocols or versions, in order. */
  readonly names: readonly string[];
  /** Why it is not known of a round; `null` when it is of all. */
  readonly reason: string | null;
}

/**
 * What the rounds of a variant spoke.
 *
 * @param rounds the table of rounds
 * @param variant the variant
 * @param column what is asked
 * @returns the protocols, or the versions of TLS
 */
export function spokenIn(rounds: TableData, variant: string, column: "protocol" | "tlsVersion"): Spoken {
  const variants = rounds.texts("variant");
  const cells = rounds.texts(column);
  const rows = [...variants.keys()].filter((row) => variants[row] === variant);
  const unknown = rows.find((row) => cells[row] === null);
  return {
    variant,
    names: [...new Set(rows.flatMap((row) => cells[row]?.split(" ") ?? []))].sort(),
    reason: unknown === undefined ? null : rounds.texts(`${column}Reason`)[unknown] ?? "It was not recorded",
  };
}

/**
 * Why variants may not be compared for what they spoke: the difference between protocols, or between versions of
 * TLS, would be taken for what is compared. A protocol must be known. A version need not be, as a plain variant
 * has none, and of many a server nobody tells it: then it is one server's and one client's, and so the same.
 *
 * @param rounds the table of rounds
 * @param variants the variants
 * @returns the reason; `null` when all of them spoke one and the same
 */
export function whyUnlike(rounds: TableData, variants: readonly string[]): string | null {
  const protocols = variants.map((variant) => spokenIn(rounds, variant, "protocol"));
  const unknown = protocols.find(({ reason }) => reason !== null);
  if (unknown !== undefined) return `the protocol of ${unknown.variant} is not known: ${unknown.reason}`;
  const versions = variants.map((variant) => spokenIn(rounds, variant, "tlsVersion"));
  return whyDifferent("protocols", protocols) ?? whyDifferent("versions of TLS", versions);
}

function whyDifferent(what: string, all: readonly Spoken[]): string | null {
  if (new Set(all.flatMap(({ names }) => names)).size <= 1) return null;
  const spoken = all.filter(({ names }) => names.length > 0);
  return `they spoke different ${what}: ` +
    spoken.map(({ variant, names }) => `${variant} ${names.join(" and ")}`).join(", ");
}
