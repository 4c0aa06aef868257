/**
 * The request cannot be carried out as it was put: an unknown name, a value out of range. Nothing
 * was started. The command line exits with status 2.
 */
export class MisuseError extends TypeError {
  /** `MisuseError`. */
  override name = "MisuseError";
}

/**
 * The request is sound but this machine cannot carry it out: too few descriptors, no right to write
 * `data/`, a system call that is missing. Nothing was started. The command line exits with status 3.
 */
export class CannotRunHereError extends Error {
  /** `CannotRunHereError`. */
  override name = "CannotRunHereError";
  /** What the person can do about it. */
  readonly remedy: string;

  /**
   * Says what cannot be done and what helps.
   *
   * @param message what cannot be done, and why
   * @param remedy what the person can do about it
   */
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}
