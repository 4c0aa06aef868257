/** The form in which a parameter is recorded. */
export type ParamJson = string | number | boolean | null | readonly (string | number)[];

/** What reading a given value came to: the value, or what it must be. */
export type ParseOutcome<T> = { readonly value: T } | { readonly must: string };

/** A parameter of an experiment: flags, `--help`, the notebook's check and the documentation derive from it. */
export interface Param<T> {
  /** The builder that made it. */
  readonly kind:
    | "integer"
    | "number"
    | "duration"
    | "choice"
    | "list"
    | "flag"
    | "text"
    | "url"
    | "pem"
    | "numbers"
    | "command";
  /** What it means, in one line. */
  readonly help: string;
  /** What may be given, for `--help`: `1 to 100000`, `both, fetch or raw`. */
  readonly accepts: string;
  /** The value when none is given. */
  readonly default: T;
  /** The value for a quick look. */
  readonly quick?: T;
  /** Reads a native value or text. */
  parse(given: unknown): ParseOutcome<T>;
  /** The form that is recorded; reading it gives the same value. */
  format(value: T): ParamJson;
}

/** The parameters of an experiment by name. */
// deno-lint-ignore no-explicit-any -- a schema mixes parameters of every type, and Param is invariant in it
export type ParamSchema = Readonly<Record<string, Param<any>>>;

/** What an experiment with schema `S` sees of its parameters. */
export type ParamsOf<S extends ParamSchema> = {
  readonly [K in keyof S]: S[K] extends Param<infer T> ? T : never;
};
