import { resolve } from "node:path";
import type { ExperimentDescription } from "../experiments/mod.ts";
import {
  anyValidAt,
  command,
  type CommandLine,
  isNumbersPath,
  isPem,
  MAX_NUMBERS_BYTES,
  MAX_PEM_BYTES,
  MisuseError,
  optionName,
  parseNumbers,
  type ParseOutcome,
  pem,
} from "../record/mod.ts";
import { describe } from "./start.ts";

/** How {@linkcode readParamFiles} reads. */
export interface ParamFilesOptions {
  /** The folder in which the person stands. */
  readonly folder: string;
  /** Whether the person wrote the parameters as options, and messages name them so. @default {false} */
  readonly asOptions?: boolean;
}

/** A kind of parameter for which a file may be named. */
interface FileKind {
  /** Whether what was given is the path of a file. */
  readonly isPath: (given: string) => boolean;
  /** The longest text that is read, in bytes. */
  readonly maxBytes: number;
  /** What is given on in the place of the path. */
  readonly parse: (text: string) => ParseOutcome<unknown>;
}

/** They say only what must be. */
const PEM = pem({ default: null, help: "" });
const COMMAND = command({ help: "" });

const FILE_KINDS: ReadonlyMap<string, FileKind> = new Map<string, FileKind>([
  ["pem", { isPath: (given) => !isPem(given), maxBytes: MAX_PEM_BYTES, parse: parseCertificates }],
  ["numbers", { isPath: isNumbersPath, maxBytes: MAX_NUMBERS_BYTES, parse: parseNumbers }],
]);

/**
 * Puts what a file holds in the place of its path, where a parameter takes a file: the processes of a run
 * may read none of a person's. A command is read, and its program and folder are found from where the person stands.
 *
 * @param experiment what is told of the experiment, or its id or URL
 * @param given the parameters as the person gave them
 * @param options where the person stands
 * @returns the parameters to ask with
 * @throws {MisuseError} a file is missing, cannot be read, or does not hold what it must, or a program is missing
 */
export async function readParamFiles(
  experiment: ExperimentDescription | string,
  given: Readonly<Record<string, unknown>>,
  options: ParamFilesOptions,
): Promise<Readonly<Record<string, unknown>>> {
  if (!Object.values(given).some((value) => typeof value === "string" || Array.isArray(value))) return given;
  // What a person's file prints as it is loaded is said when it runs.
  const { params } = typeof experiment === "string"
    ? await describe(experiment, { onStderr: () => {} })
    : experiment;
  const contents: Record<string, unknown> = {};
  for (const { name, kind } of params) {
    const path = given[name];
    const spelled = options.asOptions ? `--${optionName(name)}` : name;
    if (kind === "command" && path !== undefined) contents[name] = locate(path, spelled, options.folder);
    const file = FILE_KINDS.get(kind);
    if (file === undefined || typeof path !== "string" || !file.isPath(path)) continue;
    contents[name] = read(file, path, spelled, options.folder);
  }
  return { ...given, ...contents };
}

function read({ parse, maxBytes }: FileKind, path: string, name: string, folder: string): unknown {
  let text: string;
  try {
    text = readStart(resolve(folder, path), maxBytes);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? `there is no file ${path}`
      : `file ${path} cannot be read: ${error instanceof Error ? error.message : error}`;
    throw new MisuseError(`Cannot use ${name} as ${why}`);
  }
  const outcome = parse(text);
  if ("value" in outcome) return outcome.value;
  throw new MisuseError(`Cannot use ${name} as its file must hold ${outcome.must}: current file is ${path}`);
}

/** A command from where a person stands. One that is not well formed goes on as it is, to be refused. */
function locate(given: unknown, name: string, folder: string): unknown {
  const outcome = COMMAND.parse(given);
  if (!("value" in outcome) || outcome.value === null) return given;
  const { program, args } = outcome.value;
  if (!program.includes("/")) return { program, args, folder } satisfies CommandLine;
  const path = resolve(folder, program);
  if (isFile(path)) return { program: path, args, folder } satisfies CommandLine;
  throw new MisuseError(`Cannot use ${name} as there is no program ${program}`);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** The dates count now, as a person asks: a run that is read back stays what it was. */
function parseCertificates(text: string): ParseOutcome<unknown> {
  const outcome = PEM.parse(text);
  const isDated = "value" in outcome && outcome.value !== null && !anyValidAt(outcome.value, Date.now());
  return isDated ? { must: "a certificate that is valid today" } : outcome;
}

/** The text of a file, or the beginning of one that is too long: a device has no end. */
function readStart(path: string, maxBytes: number): string {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(maxBytes + 1);
  let length = 0;
  for (let size: number | null = 0; size !== null && length < bytes.length; length += size ?? 0) {
    size = file.readSync(bytes.subarray(length));
  }
  return new TextDecoder().decode(bytes.subarray(0, length));
}
