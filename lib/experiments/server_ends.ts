import type { MeasureContext, ServerEnd } from "./contract.ts";

/** What is known of the servers of a run that may end. */
export class ServerEnds implements Pick<MeasureContext, "ended" | "endOf"> {
  readonly #servers: ReadonlyMap<string, AwaitedEnd>;

  /**
   * Begins with none that has ended.
   *
   * @param mayEnd what the servers are called that may end. @default {none}
   */
  constructor(mayEnd: readonly string[] = []) {
    this.#servers = new Map(mayEnd.map((server) => [server, { ...Promise.withResolvers(), end: null }]));
  }

  /**
   * Takes the end of a server. The first one counts.
   *
   * @param server what it is called
   * @param end how it ended
   * @throws {RangeError} there is no such server, or its end fails the run
   */
  take(server: string, end: ServerEnd): void {
    const awaited = this.#of(server);
    awaited.end ??= end;
    awaited.resolve(awaited.end);
  }

  /**
   * Waits for the end of a server.
   *
   * @param server what it is called
   * @returns how it ended
   * @throws {RangeError} there is no such server, or its end fails the run
   */
  ended(server: string): Promise<ServerEnd> {
    return this.#of(server).promise;
  }

  /**
   * Looks whether a server has ended.
   *
   * @param server what it is called
   * @returns how it ended; `null` when it has not
   * @throws {RangeError} there is no such server, or its end fails the run
   */
  endOf(server: string): ServerEnd | null {
    return this.#of(server).end;
  }

  #of(server: string): AwaitedEnd {
    const awaited = this.#servers.get(server);
    if (awaited !== undefined) return awaited;
    const known = this.#servers.size === 0
      ? "none may"
      : `those that may are ${[...this.#servers.keys()].join(", ")}`;
    throw new RangeError(`Cannot look for the end of server ${server} as it may not end: ${known}`);
  }
}

interface AwaitedEnd extends PromiseWithResolvers<ServerEnd> {
  end: ServerEnd | null;
}
