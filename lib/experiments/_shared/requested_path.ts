import { MisuseError } from "../../record/mod.ts";

/** What {@linkcode requestedPath} is told. */
export interface RequestedPathOptions {
  /** What counts when no path was given. */
  readonly preset: string;
  /** What `/compute` of the lab's server is asked to do. */
  readonly difficulty: number;
}

/**
 * The path that a load requests.
 *
 * @param given the path as it was given, with or without a query; empty for the preset
 * @param options the preset, and the work of `/compute` where its query does not say
 * @returns the path with its query
 * @throws {MisuseError} it does not begin with one slash, or no request can name it
 *
 * @example
 * ```ts
 * import { requestedPath } from "./requested_path.ts";
 * import { assertEquals } from "@std/assert";
 * const options = { preset: "/static", difficulty: 5 };
 * assertEquals(requestedPath("", options), "/static");
 * assertEquals(requestedPath("/compute", options), "/compute?difficulty=5");
 * assertEquals(requestedPath("/a?b=1", options), "/a?b=1");
 * ```
 */
export function requestedPath(given: string, { preset, difficulty }: RequestedPathOptions): string {
  if (given === "") return preset;
  // A request line ends at a space, and what begins with two slashes is another host.
  if (!/^\/(?!\/)[!-~]*$/.test(given)) {
    throw new MisuseError(
      `Cannot request path ${
        JSON.stringify(given)
      } as it must begin with one / and hold visible ASCII without spaces (--path)`,
    );
  }
  return given === "/compute" ? `/compute?difficulty=${difficulty}` : given;
}
