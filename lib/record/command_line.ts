import type { Param, ParseOutcome } from "./param.ts";

/** A program with its arguments, as it is started: without a shell. */
export interface CommandLine {
  /** Its name, which is looked for on the PATH, or its path. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** The folder in which it is started; `null` where that is not known. */
  readonly folder: string | null;
}

/** What {@linkcode command} takes. There is no default: a program runs only when a person names it. */
export interface CommandOptions {
  /** What it means, in one line. */
  help: string;
}

const LONGEST_COMMAND = 4000;

/** One word, or a part of it: as it stands, escaped, in single quotes, in double quotes. */
const PART = /([^\s'"\\]+)|\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"/y;

const UNQUOTED = /^[\w@%+=:,./~-]+$/;

/** A path from the root or from a home, within a text: but for its last part. A URL is none. */
const FOLDERS =
  /(?:(?<![\w./~-])|(?<=(?:^|\s)-\w))(?:~\w*|file:\/\/)?\/(?![/\s]|$)(?:[^\s"'`;,:()<>|&=/]+\/(?=[^\s"'`;,:()<>|&=/]))*/g;

const WHOLE_PATH = /^(?:~\w*|file:\/\/)?\/(?!\/)/;

/**
 * Splits a text into words as a shell does: at spaces, but for what is in quotes or behind a backslash. Nothing else
 * has a meaning: no variable, no pattern, no redirection.
 *
 * @param text the text
 * @returns the words; `null` when a quote is not closed, or nothing follows a backslash
 *
 * @example
 * ```ts
 * import { splitWords } from "./command_line.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(splitWords(`nginx -g 'daemon off;' -c my\\ file`), ["nginx", "-g", "daemon off;", "-c", "my file"]);
 * assertEquals(splitWords(`echo "never closed`), null);
 * ```
 */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at]!)) {
      if (word !== null) words.push(word);
      word = null;
      at++;
      continue;
    }
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) return null;
    const [whole, plain, escaped, single, double] = part;
    word = (word ?? "") + (plain ?? escaped ?? single ?? double!.replace(/\\(["\\])/g, "$1"));
    at += whole.length;
  }
  return word === null ? words : [...words, word];
}

/**
 * Joins words to a text that {@linkcode splitWords} splits into the same ones.
 *
 * @param words the words
 * @returns the text
 */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => UNQUOTED.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

/**
 * Takes the folders from the paths in a text, so that what is recorded does not tell of a machine: of every path from
 * the root or from a home its last part is left. A URL stays, and a path within the folder at hand.
 *
 * @param text such as what a command has said
 * @returns the text
 *
 * @example
 * ```ts
 * import { withoutFolders } from "./command_line.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(withoutFolders("--config=/home/ada/server.conf"), "--config=server.conf");
 * assertEquals(withoutFolders("http://127.0.0.1:8080/a/b"), "http://127.0.0.1:8080/a/b");
 * ```
 */
export function withoutFolders(text: string): string {
  return text.replace(FOLDERS, "");
}

/** A word that is a path as a whole may have spaces in it. */
function wordWithoutFolders(word: string): string {
  return WHOLE_PATH.test(word) ? lastPart(word) : withoutFolders(word);
}

/** The last part of a path; of the root, the root. */
function lastPart(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

/**
 * A command that a person names, as text or as an array of words, or none. It is recorded without the folders of its
 * program and of the files that it names: what is recorded can be given again where these are found by their names.
 *
 * @param options help
 * @returns the parameter
 *
 * @example
 * ```ts
 * import { command } from "./command_line.ts";
 * import { assertEquals } from "@std/assert";
 * const server = command({ help: "the server" });
 * const value = { program: "/usr/sbin/nginx", args: ["-c", "/home/ada/a b.conf"], folder: null };
 * assertEquals(server.parse("/usr/sbin/nginx -c '/home/ada/a b.conf'"), { value });
 * assertEquals(server.format(value), "nginx -c 'a b.conf'");
 * ```
 */
export function command({ help }: CommandOptions): Param<CommandLine | null> {
  return {
    kind: "command",
    help,
    accepts: "a program with its arguments, which no shell reads",
    default: null,
    parse: parseCommand,
    format: (value) => value && describeCommand(value),
  };
}

/**
 * A command without the folders of its program and of the files that it names, as it is recorded.
 *
 * @param command the command
 * @returns its text
 */
export function describeCommand({ program, args }: CommandLine): string {
  return joinWords([lastPart(program), ...args.map(wordWithoutFolders)]);
}

/**
 * Whether a value is a command that has been read.
 *
 * @param value any value
 * @returns whether it is
 */
export function isCommandLine(value: unknown): value is CommandLine {
  const { program, args, folder } = Object(value) as Partial<CommandLine>;
  return typeof program === "string" && Array.isArray(args) && args.every((arg) => typeof arg === "string") &&
    (folder === null || typeof folder === "string");
}

function parseCommand(given: unknown): ParseOutcome<CommandLine | null> {
  if (given === null) return { value: null };
  const { program, args, folder }: CommandLine | Record<string, never> = isCommandLine(given) ? given : {};
  const words = program === undefined ? wordsOf(given) : [program, ...args];
  if (words === null) return { must: "a program with its arguments, every quote closed" };
  const [first, ...rest] = words;
  if (!first || /[/\\]$/.test(first)) return { must: "a program with its arguments" };
  if (words.some((word) => word.includes("\0"))) {
    return { must: "a program with its arguments, without zero bytes" };
  }
  if (words.join(" ").length > LONGEST_COMMAND) {
    return { must: `a command of at most ${LONGEST_COMMAND} characters` };
  }
  return { value: { program: first, args: rest, folder: folder ?? null } };
}

function wordsOf(given: unknown): readonly string[] | null {
  if (typeof given === "string") return splitWords(given);
  return Array.isArray(given) && given.every((word) => typeof word === "string") ? given : [];
}
