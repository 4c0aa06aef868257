import { fileURLToPath } from "node:url";

/** Where the parts of the lab lie: the folder of its `deno.json`. */
const ROOT = new URL("../../", import.meta.url);

/** The configuration that every program of the lab runs under. */
export const CONFIG_PATH: string = path(new URL("deno.json", ROOT));

/** The folder of the lab. */
export const LAB_PATH: string = path(ROOT);

/**
 * The program of a server.
 *
 * @param name its name, such as `origin`
 * @returns its main module
 */
export function serverScript(name: string): URL {
  return new URL(`servers/${name}.ts`, ROOT);
}

/**
 * The names of the servers that come with the lab.
 *
 * @returns the names, in order
 */
export function serverNames(): string[] {
  return [...Deno.readDirSync(new URL("servers/", ROOT))]
    .filter(({ isFile, name }) => isFile && /^[a-z][a-z0-9]*\.ts$/.test(name))
    .map(({ name }) => name.slice(0, -".ts".length))
    .sort();
}

function path(url: URL): string {
  return fileURLToPath(url);
}
