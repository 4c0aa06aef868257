/** What came is not a well-formed response; the message says where it breaks. */
export class MalformedResponse extends Error {
  override name = "MalformedResponse";
}
