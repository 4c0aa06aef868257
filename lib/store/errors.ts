import { RemediableError } from "../record/mod.ts";

/** What is on disk cannot be read as a run: it is missing, damaged, or of a newer connlab. */
export class UnreadableRunError extends RemediableError {
  /** The name of the class. */
  override name = "UnreadableRunError";
}

/** A table's CSV text does not fit its schema, or is not CSV. */
export class CsvError extends Error {
  /** The name of the class. */
  override name = "CsvError";
  /** The line, from 1, on which the row begins. */
  readonly line: number;
  /** What is wrong there. */
  readonly problem: string;

  /**
   * Makes the error.
   *
   * @param name the table or the file
   * @param line the line, from 1, on which the row begins
   * @param problem what is wrong there
   */
  constructor(name: string, line: number, problem: string) {
    super(`Cannot read ${name} at line ${line}: ${problem}`);
    this.line = line;
    this.problem = problem;
  }
}
