/** Something that makes a run less sure than it looks, with what can be done about it. */
export interface Warning {
  /** A short name in kebab case, for programs. */
  readonly code: string;
  /** What was seen. */
  readonly message: string;
  /** What the person can do about it. */
  readonly remedy: string;
}
