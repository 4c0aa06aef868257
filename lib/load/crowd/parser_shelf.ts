import { ResponseParser } from "../../transport/mod.ts";

/**
 * Parsers for the connections on which a response is coming, which are few at any time: one that is read to its end
 * serves the next, and a silent connection has none.
 */
export class ParserShelf {
  readonly #free: ResponseParser[] = [];
  readonly #used = new Map<number, ResponseParser>();

  /**
   * The parser of a connection, at the beginning of a response where it has none yet.
   *
   * @param connection its number
   * @returns the parser
   */
  of(connection: number): ResponseParser {
    const known = this.#used.get(connection);
    if (known !== undefined) return known;
    const parser = this.#free.pop() ?? new ResponseParser();
    parser.begin("GET");
    this.#used.set(connection, parser);
    return parser;
  }

  /**
   * Whether some of a response has come over a connection, and not all.
   *
   * @param connection its number
   * @returns whether it has a parser
   */
  has(connection: number): boolean {
    return this.#used.has(connection);
  }

  /**
   * Puts the parser of a connection back, if it has one.
   *
   * @param connection its number
   */
  putBack(connection: number): void {
    const parser = this.#used.get(connection);
    if (parser === undefined) return;
    this.#used.delete(connection);
    this.#free.push(parser);
  }
}
