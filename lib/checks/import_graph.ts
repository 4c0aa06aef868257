import { HOUSE, isFace, PACKAGES, roomOf, TEST_ROOM, WORKSHOP } from "./house.ts";
import { type Import, type ImportGraph, readImports } from "./imports.ts";

const isTest = (path: string) => /_(?:test|bench)\.ts$/.test(path);
const isFixture = (path: string) => path.includes("/fixtures/");
const isExempt = (path: string) => isTest(path) || isFixture(path);
const isPrivate = (path: string) => /(?:^|\/)_[^/]*$/.test(path);
const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

/**
 * Why one import is not allowed.
 *
 * A test, a bench or what lies in `fixtures/` may import the face of every room; but for that it follows the
 * rules of every other file.
 */
function objection({ from, to, specifier }: Import): string | null {
  const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
  if (fromRoom === WORKSHOP) return null;
  if (toRoom === WORKSHOP) return "nothing may import lib/checks";
  if (isTest(to)) return "a test or bench is imported by lib/checks only";
  if (isFixture(to) && !isExempt(from)) return "a fixture is imported by tests only";
  if (isPrivate(to) && folderOf(from) !== folderOf(to)) return "a private file stays in its folder";
  if (fromRoom === toRoom) return null;
  if (toRoom === TEST_ROOM && !isExempt(from)) return "lib/testing is imported by tests only";
  if (toRoom === "servers") return "lib never imports servers: it starts them as processes";
  if (toRoom === PACKAGES) {
    return specifier.startsWith("@std/") ? null : "lib/std is imported by its package names only";
  }
  if (!isFace(to)) return "another folder is imported through its mod.ts only";
  if (isExempt(from)) return null;
  const allowed = HOUSE[fromRoom];
  if (!allowed) return `the folder ${fromRoom} has no place in lib/checks/house.ts`;
  if (!allowed.includes(toRoom)) {
    return `no arrow leads from ${fromRoom} to ${toRoom}: there are ${allowed.join(", ") || "none"}`;
  }
  return null;
}

/**
 * One cycle for every knot of a graph.
 *
 * @param edges pairs of nodes
 * @returns the nodes of each cycle, in order, without the return to the first
 */
export function cycles(edges: Iterable<readonly [string, string]>): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const path: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    const start = path.indexOf(node);
    if (start >= 0) found.push(path.slice(start));
    if (start >= 0 || done.has(node)) return;
    path.push(node);
    for (const to of next.get(node) ?? []) visit(to);
    path.pop();
    done.add(node);
  };
  for (const node of next.keys()) visit(node);
  return found;
}

/**
 * Holds the imports of the project against the architecture of {@linkcode HOUSE}: arrows, faces, private
 * files, and cycles between folders and between files. Two files whose types refer to each other are no
 * cycle, as nothing of it is left at run time.
 *
 * @param graph the imports
 * @returns a message for each violation
 */
export function violations(graph: ImportGraph): string[] {
  const objections = graph.imports.flatMap((one) => {
    const why = objection(one);
    return why === null ? [] : [`${one.from}:${one.line} imports ${one.to}: ${why}`];
  });
  const bound = graph.imports.filter(({ from }) => roomOf(from) !== WORKSHOP && !isExempt(from));
  const between = bound
    .map(({ from, to }) => [roomOf(from), roomOf(to)] as const)
    .filter(([from, to]) => from !== to);
  const atRunTime = graph.imports
    .filter(({ typeOnly }) => !typeOnly)
    .map(({ from, to }) => [from, to] as const);
  return [
    ...graph.errors,
    ...objections,
    ...cycles(between).map((nodes) => `Folders in a cycle: ${[...nodes, nodes[0]].join(" → ")}`),
    ...cycles(atRunTime).map((nodes) => `Files in a cycle: ${[...nodes, nodes[0]].join(" → ")}`),
  ];
}

if (import.meta.main) {
  const graph = await readImports(Deno.cwd(), ["lib", "servers"]);
  const found = violations(graph);
  for (const message of found) console.error(message);
  console.error(`${graph.imports.length} imports of ${graph.files.length} files, ${found.length} violations`);
  if (found.length > 0 || graph.files.length === 0) Deno.exit(1);
}
