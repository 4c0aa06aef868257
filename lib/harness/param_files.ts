import { resolve } from "node:path";
import type { ExperimentDescription } from "../experiments/mod.ts";
import {
  anyValidAt,
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

/** Says only what it must be. */
const PEM = pem({ default: null, help: "" });

const FILE_KINDS: ReadonlyMap<string, FileKind> = new Map<string, FileKind>([
  ["pem", { isPath: (given) => !isPem(given), maxBytes: MAX_PEM_BYTES, parse: parseCertificates }],
  ["numbers", { isPath: isNumbersPath, maxBytes: MAX_NUMBERS_BYTES, parse: parseNumbers }],
]);

/**
 * Puts what a file holds in the place of its path, where a parameter takes a file: the processes of a run
 * may read none of a person's.
 *
 * @param experiment what is told of the experiment, or its id or URL
 * @param given the parameters as the person gave them
 * @param options where the person stands
 * @returns the parameters to ask with
 * @throws {MisuseError} a file is missing, cannot be read, or does not hold what it must
 */
export async function readParamFiles(
  experiment: ExperimentDescription | string,
  given: Readonly<Record<string, unknown>>,
  options: ParamFilesOptions,
): Promise<Readonly<Record<string, unknown>>> {
  if (!Object.values(given).some((value) => typeof value === "string")) return given;
  // What a person's file prints as it is loaded is said when it runs.
  const { params } = typeof experiment === "string"
    ? await describe(experiment, { onStderr: () => {} })
    : experiment;
  const contents: Record<string, unknown> = {};
  for (const { name, kind } of params) {
    const path = given[name];
    const file = FILE_KINDS.get(kind);
    if (file === undefined || typeof path !== "string" || !file.isPath(path)) continue;
    contents[name] = read(file, path, options.asOptions ? `--${optionName(name)}` : name, options.folder);
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
