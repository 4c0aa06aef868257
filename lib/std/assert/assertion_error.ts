/** An assertion that does not hold. */
export class AssertionError extends Error {
  /**
   * Makes the error.
   *
   * @param message what was expected and what was found
   * @param options the error that it came from
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}
