/**
 * The rooms of the house and the rooms that each may import: the architecture as data. `mod` is
 * `lib/mod.ts`, what a notebook may import; `servers` stands beside `lib/`; every other room is the
 * folder of that name in `lib/`. What is missing here is not allowed.
 *
 * `std` is reached by everyone through its package names, never by path. `checks` is the workshop: it may
 * look into every room, and no room knows of it. `testing` is for tests alone.
 */
export const HOUSE: Readonly<Record<string, readonly string[]>> = {
  stats: [],
  record: [],
  system: ["record"],
  transport: ["system", "record"],
  load: ["transport", "system", "stats", "record"],
  figures: ["stats", "record"],
  experiments: ["load", "transport", "system", "figures", "stats", "record"],
  store: ["record"],
  harness: ["experiments", "store", "system", "stats", "record"],
  render: ["record"],
  notebook: ["harness", "experiments", "store", "render", "figures", "record"],
  cli: [
    "notebook",
    "harness",
    "experiments",
    "store",
    "render",
    "figures",
    "load",
    "transport",
    "system",
    "record",
    "stats",
  ],
  mod: ["notebook", "experiments", "figures", "stats", "record"],
  servers: ["load", "transport", "system", "record"],
  std: [],
  testing: ["system"],
};

/** The room that may import everything and that nothing may import. */
export const WORKSHOP = "checks";

/** The room that tests, benches and fixtures may import, and nothing else. */
export const TEST_ROOM = "testing";

/** The room that everyone may import, by package name only. */
export const PACKAGES = "std";

/**
 * The room that a file stands in.
 *
 * @param path the file, relative to the project root, with `/`
 * @returns the name of the room
 */
export function roomOf(path: string): string {
  const [top, next, ...rest] = path.split("/");
  if (top !== "lib" || next === undefined) return top!;
  return rest.length > 0 ? next : next.replace(/\.[^.]+$/, "");
}

/**
 * Whether other rooms may import a file: the `mod.ts` of a folder of `lib/`, or `lib/mod.ts` itself.
 *
 * @param path the file, relative to the project root
 * @returns `false` for all of `servers/`, which are programs
 */
export function isFace(path: string): boolean {
  return /^lib\/(?:.+\/)?mod\.ts$/.test(path);
}
