import { files } from "./_files.ts";

/** One import of a file of the project by another. */
export interface Import {
  /** The importing file, relative to the project root. */
  readonly from: string;
  /** The imported file, relative to the project root. */
  readonly to: string;
  /** What stands between the quotes. */
  readonly specifier: string;
  /** The line of the first such import, from 1. */
  readonly line: number;
  /** Whether nothing of it is left at run time (`import type`, `import("…").T` in a type). */
  readonly typeOnly: boolean;
}

/** The imports of a tree, and what could not be read. */
export interface ImportGraph {
  /** The files that were read. */
  readonly files: readonly string[];
  /** Their imports of each other. */
  readonly imports: readonly Import[];
  /** A message for each file that could not be read or found. */
  readonly errors: readonly string[];
}

/** A resolved specifier, as `deno info --json` has it. */
interface Resolution {
  readonly specifier?: string;
  readonly error?: string;
  readonly span?: { readonly start: { readonly line: number } };
}

/** A module, as `deno info --json` has it. */
interface Module {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly code?: Resolution;
    readonly type?: Resolution;
  }[];
}

async function info(root: string, file: string): Promise<readonly Module[]> {
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: ["info", "--json", "--no-lock", "--no-npm", "--no-remote", file],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  if (!success) throw new Error(`Cannot read imports of ${file}: ${new TextDecoder().decode(stderr).trim()}`);
  return JSON.parse(new TextDecoder().decode(stdout)).modules;
}

/**
 * Reads the imports of every source file below the given folders, as Deno itself resolves them: static
 * and dynamic with a literal, `import type`, `export … from`, `import("…")` in a type.
 *
 * @param root the project root, absolute
 * @param folders the folders to read, relative to the root
 * @returns the files and the imports among them
 * @throws {Error} `deno info` failed
 */
export async function readImports(root: string, folders: readonly string[]): Promise<ImportGraph> {
  const sources = (await files(root, folders)).filter((path) => /\.[cm]?[jt]sx?$/.test(path));
  const wanted = new Set(sources);
  const imports = new Map<string, Import>();
  const errors = new Set<string>();
  const base = new URL(`file://${await Deno.realPath(root)}/`).href;
  const local = (specifier = "") =>
    specifier.startsWith(base) ? decodeURIComponent(specifier.slice(base.length)) : null;
  const seen = new Set<string>();
  // One call tells of everything that is reachable, so that faces first make it few calls.
  for (
    const source of sources.toSorted((a, b) => Number(b.endsWith("mod.ts")) - Number(a.endsWith("mod.ts")))
  ) {
    if (seen.has(source)) continue;
    for (const module of await info(root, source)) {
      const from = local(module.specifier);
      if (from === null || seen.has(from)) continue;
      seen.add(from);
      if (module.error) errors.add(module.error);
      if (!wanted.has(from)) continue;
      for (const { specifier, code, type } of module.dependencies ?? []) {
        const resolved = code ?? type;
        if (resolved?.error) errors.add(`${from}: ${resolved.error}`);
        const to = local(resolved?.specifier);
        if (to === null) continue;
        const line = (resolved?.span?.start.line ?? 0) + 1;
        imports.set(`${from} ${specifier}`, { from, to, specifier, line, typeOnly: !code });
      }
    }
  }
  return { files: sources, imports: [...imports.values()], errors: [...errors] };
}
