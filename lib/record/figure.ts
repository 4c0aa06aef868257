/** A value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | {
  readonly [key: string]: Json | undefined;
};

/** One plotly trace. */
export type Trace = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * A plain plotly figure: traces and layout, nothing that JSON cannot carry. Where it came from stands
 * in `layout.meta` as `{ run, hash }`; as `{ runs: [{ run, hash }, …] }` when several runs are in it.
 *
 * Source: https://plotly.com/javascript/reference/
 */
export interface Figure {
  /** The traces. */
  readonly data: readonly Trace[];
  /** Title, axes, margins. */
  readonly layout: Readonly<Record<string, unknown>>;
}
