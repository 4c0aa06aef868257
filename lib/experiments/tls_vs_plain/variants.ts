import type { Values } from "./params.ts";

/**
 * Every arm: what carries it, the client, and whether it keeps its connection. `resumed` makes a connection
 * for every request, like `new`, but all of them with one client that remembers TLS sessions.
 */
export const VARIANTS = [
  "plain/fetch/new",
  "plain/fetch/shared",
  "plain/raw/new",
  "plain/raw/shared",
  "tls/fetch/new",
  "tls/fetch/resumed",
  "tls/fetch/shared",
  "tls/raw/new",
  "tls/raw/resumed",
  "tls/raw/shared",
] as const;

/** One of {@linkcode VARIANTS}. */
export type Variant = (typeof VARIANTS)[number];

/** What a variant is made of. */
export interface VariantParts {
  /** What carries it. */
  readonly transport: "plain" | "tls";
  /** The client. */
  readonly client: "fetch" | "raw";
  /** Whether it keeps its connection. */
  readonly mode: "new" | "resumed" | "shared";
}

/** What a new connection is held against a kept one over: what carries it, and the client. */
export const PAIRS = ["plain/fetch", "tls/fetch", "plain/raw", "tls/raw"] as const;

/**
 * What a variant is made of.
 *
 * @param variant the variant
 * @returns its parts
 */
export function partsOf(variant: string): VariantParts {
  const [transport, client, mode] = variant.split("/");
  return { transport, client, mode } as VariantParts;
}

/** What decides which variants there are. */
export type Asked = Pick<Values, "client" | "alpn" | "target" | "plainTarget">;

/**
 * Why a variant that a run was asked for cannot be measured.
 *
 * @param variant the variant
 * @param asked the parameters
 * @returns the reason; `null` when it can be
 */
export function whySkipped(variant: Variant, asked: Asked): string | null {
  const { transport, client, mode } = partsOf(variant);
  const { alpn, target, plainTarget } = asked;
  if (transport === "plain") {
    return target !== null && plainTarget === null
      ? "The target is reached over TLS alone: give the plain URL of the same server (--plain-target)"
      : null;
  }
  if (client === "raw" && alpn === "h2") return "The client raw speaks HTTP/1.1 only (--alpn http/1.1)";
  if (client === "raw" && mode === "resumed") {
    return "The client raw cannot resume a session: Deno.startTls keeps none from one connection to the next";
  }
  return null;
}

/**
 * The variants that a run was asked for, measured or not.
 *
 * @param asked the parameters
 * @returns the variants
 */
export function askedVariants({ client }: Asked): readonly Variant[] {
  return VARIANTS.filter((variant) => client === "both" || partsOf(variant).client === client);
}

/**
 * The variants that a run measures.
 *
 * @param asked the parameters
 * @returns the variants
 */
export function measuredVariants(asked: Asked): readonly Variant[] {
  return askedVariants(asked).filter((variant) => whySkipped(variant, asked) === null);
}
