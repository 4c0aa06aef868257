/** A verb of the command line: a module's `command`. */
export interface Command {
  /** How it is called, and what it does: the text of its `--help`, or what computes it from the arguments. */
  help(args: readonly string[]): string | Promise<string>;
  /**
   * Carries it out. Results go to standard output, messages and progress to standard error.
   *
   * @param args the arguments behind the verb
   * @returns the exit status: 0 done, 1 failed with what there is saved, 130 interrupted
   * @throws {MisuseError} exit status 2
   * @throws {CannotRunHereError} exit status 3
   */
  run(args: readonly string[]): Promise<number>;
}
