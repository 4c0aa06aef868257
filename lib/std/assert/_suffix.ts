/**
 * The end of a message: what the author of the test says of it.
 *
 * @param msg what the author says, if anything
 * @returns the end of the sentence
 */
export function suffix(msg: string | undefined): string {
  return msg ? `: ${msg}` : ".";
}
