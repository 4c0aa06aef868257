/** What came is not a well-formed response, or body; the message says where it breaks. */
export class MalformedResponse extends Error {
  /** Its name among errors. */
  override name = "MalformedResponse";
}
