/**
 * The request cannot be carried out as it was put: an unknown name, a value out of range. Nothing
 * was started. The command line exits with status 2.
 */
export class MisuseError extends TypeError {
  /** `MisuseError`. */
  override name = "MisuseError";
}

/**
 * What went wrong, with what helps. The remedy is the last line of the message, since a message is all
 * that a notebook shows of an error.
 */
export class RemediableError extends Error {
  /** What cannot be done, and why. */
  readonly problem: string;
  /** What the person can do about it. */
  readonly remedy: string;

  /**
   * Says what cannot be done and what helps.
   *
   * @param problem what cannot be done, and why
   * @param remedy what the person can do about it
   * @param options the error that it came from
   */
  constructor(problem: string, remedy: string, options?: ErrorOptions) {
    super(`${problem}\n${remedy}`, options);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/**
 * The request is sound but this machine cannot carry it out: too few descriptors, no right to write
 * `data/`, a system call that is missing. Nothing was started. The command line exits with status 3.
 */
export class CannotRunHereError extends RemediableError {
  /** `CannotRunHereError`. */
  override name = "CannotRunHereError";
}
