import { delimiter, dirname } from "node:path";
import { CannotRunHereError } from "../record/mod.ts";
import { LineSplitter, UNSHARE } from "../system/mod.ts";

/**
 * What the environment of every program has. Deno asks from time to time whether there is a newer one: not
 * beside a measurement. And it starts no program, with rights that are named, in an environment that tells
 * the linker where to look (conda, CUDA): what a person has set there is emptied.
 */
const QUIET: Readonly<Record<string, string>> = {
  DENO_NO_UPDATE_CHECK: "1",
  LD_LIBRARY_PATH: "",
  LD_PRELOAD: "",
  LD_AUDIT: "",
  LD_BIND_NOW: "",
  DYLD_LIBRARY_PATH: "",
  DYLD_FALLBACK_LIBRARY_PATH: "",
  DYLD_FRAMEWORK_PATH: "",
  DYLD_INSERT_LIBRARIES: "",
};

/** Where programs are that no PATH tells of: the preset of POSIX systems. Source: `getconf PATH`. */
const USUAL_FOLDERS = Deno.build.os === "windows" ? [] : ["/usr/bin", "/bin"];

const NO_DESCRIPTORS = "Raise the hard limit of file descriptors (ulimit -Hn), or close what holds them";

const UNSTARTED = "Cannot start a process of the lab as";

/** Why a system does not start a program, and what helps, by the code of its error. */
function unstarted(name: string): Readonly<Record<string, readonly [reason: string, remedy: string]>> {
  return {
    ENOENT: [
      `no program called ${name} is found`,
      `Add the folder of ${name === "deno" ? "Deno" : name} to PATH`,
    ],
    EMFILE: ["this one has no file descriptors left for its pipes", NO_DESCRIPTORS],
    ENFILE: ["the system has no file descriptors left", NO_DESCRIPTORS],
  };
}

/** How to start a {@linkcode Program}. */
export interface ProgramOptions {
  /** Its permission flags, named one by one. */
  permissions: readonly string[];
  /** Its arguments. @default {[]} */
  args?: readonly string[];
  /** Takes its standard error, line by line. @default {written to our own standard error} */
  onStderr?: (line: string) => void;
  /** The configuration that resolves its imports; a path. */
  config: string;
  /** Whether every import must stand in the lock file. A person's own file may import more. @default {true} */
  frozen?: boolean;
  /** Variables that its environment has besides ours. @default {{}} */
  env?: Readonly<Record<string, string>>;
  /** Whether it is started in user and network namespaces of its own. @default {false} */
  ownNetwork?: boolean;
}

/** How a {@linkcode Program} ended. */
export interface ProgramEnd {
  /** Its exit status. */
  readonly code: number;
  /** The signal that ended it; `null` when it ended by itself. */
  readonly signal: string | null;
}

/**
 * A Deno process of the lab below this one. It speaks JSON, a line a message, on standard input and
 * output; it stops on a line `stop`, and dies when its standard input ends, so that it never outlives
 * its parent. It is detached, so that Ctrl-C reaches the top process alone.
 */
export class Program implements AsyncDisposable {
  /** Its process id. */
  readonly pid: number;
  /** Settles when it has ended and its output has been read. */
  readonly ended: Promise<ProgramEnd>;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncGenerator<string>;
  readonly #onStderr: (line: string) => void;

  /**
   * Starts a program.
   *
   * @param script its main module
   * @param options permissions, arguments, configuration
   */
  constructor(script: URL, options: ProgramOptions) {
    const { permissions, args = [], config, frozen = true, env = {}, ownNetwork = false } = options;
    this.#onStderr = options.onStderr ?? ((line) => console.error(line));
    this.#child = spawn(ownNetwork ? UNSHARE : [], {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        `--config=${config}`,
        frozen ? "--frozen" : "--no-lock",
        ...permissions,
        script.href,
        ...args,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
      env: { ...QUIET, ...ownPath(), ...env },
    });
    this.pid = this.#child.pid;
    this.#input = this.#child.stdin.getWriter();
    this.#lines = lines(this.#child.stdout);
    const forwarded = forward(this.#child.stderr, this.#onStderr);
    this.ended = this.#end(forwarded);
  }

  /**
   * Sends a message.
   *
   * @param message anything that JSON can carry
   */
  async send(message: unknown): Promise<void> {
    await this.#write(JSON.stringify(message));
  }

  /**
   * The lines that it writes on standard output, until it ends.
   *
   * @returns the lines
   */
  lines(): AsyncGenerator<string> {
    return this.#lines;
  }

  /**
   * The messages that it sends, until it ends. What else it writes on standard output (an experiment may
   * print) is for people, as its standard error is.
   */
  async *messages(): AsyncGenerator<Record<string, unknown>> {
    for await (const line of this.#lines) {
      const message = readMessage(line);
      if (message !== null) yield message;
      else this.#onStderr(line);
    }
  }

  /**
   * Waits for its next message.
   *
   * @returns the message; `null` when it ended without one
   */
  async next(): Promise<Record<string, unknown> | null> {
    const { done, value } = await this.#lines.next();
    return done ? null : JSON.parse(value);
  }

  /** Asks it to stop; it may still have things to say, and hears no more. */
  async stop(): Promise<void> {
    await this.#write("stop");
    await this.#input.close().catch(() => {/* it has been closed already */});
  }

  /**
   * Ends it: asks, waits, and kills it when it does not heed.
   *
   * @param graceMs how long to wait, in milliseconds
   * @returns how it ended
   */
  async end(graceMs = 2000): Promise<ProgramEnd> {
    await this.stop();
    const timer = setTimeout(() => this.kill(), graceMs);
    const drained = Array.fromAsync(this.#lines).catch(() => []);
    const end = await this.ended;
    await drained;
    clearTimeout(timer);
    return end;
  }

  /** Ends it at once. */
  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
  }

  /** Ends it, as {@linkcode Program.end} does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#input.write(new TextEncoder().encode(`${line}\n`));
    } catch {
      // It has ended, or closed its standard input; `ended` tells.
    }
  }

  async #end(forwarded: Promise<void>): Promise<ProgramEnd> {
    const { code, signal } = await this.#child.status;
    await forwarded;
    return { code, signal };
  }
}

/**
 * Says how a program ended, for people.
 *
 * @param end how it ended
 * @returns such as `ended with status 1` or `was ended by SIGKILL`
 */
export function describeEnd(end: ProgramEnd): string {
  return end.signal === null ? `ended with status ${end.code}` : `was ended by ${end.signal}`;
}

/** Starts Deno, perhaps under another program, which becomes Deno: the process and its pipes are the same. */
function spawn(
  under: readonly string[],
  options: Deno.CommandOptions & { args: string[]; stdin: "piped"; stdout: "piped"; stderr: "piped" },
): Deno.ChildProcess {
  const [program = denoProgram(), ...before] = [...under, denoProgram()];
  try {
    return new Deno.Command(program, { ...options, args: [...before, ...options.args] }).spawn();
  } catch (cause) {
    const [name] = [...under, "deno"];
    const [reason, remedy] = unstarted(name!)[(cause as { code?: string }).code ?? ""] ?? [];
    if (reason !== undefined) {
      throw new CannotRunHereError(`${UNSTARTED} ${reason}`, remedy!, { cause });
    }
    if (cause instanceof Deno.errors.NotCapable && under.length > 0) {
      throw new CannotRunHereError(
        `${UNSTARTED} this one may not start ${name}`,
        `Start it with the right to: --allow-run=deno,${name}`,
        { cause },
      );
    }
    throw cause;
  }
}

/**
 * How this process may start Deno: by name where its rights are scoped to that name, else (in the
 * Jupyter kernel, which has every right and perhaps an empty PATH) by its own path.
 */
function denoProgram(): string {
  return hasEveryRight() ? Deno.execPath() : "deno";
}

/** Lets the programs below a kernel find Deno by name, the same one that runs the kernel, and what else they start. */
function ownPath(): Record<string, string> {
  if (!hasEveryRight()) return {};
  const path = Deno.env.get("PATH");
  return { PATH: [dirname(Deno.execPath()), ...(path ? [path] : []), ...USUAL_FOLDERS].join(delimiter) };
}

function hasEveryRight(): boolean {
  return Deno.permissions.querySync({ name: "run" }).state === "granted";
}

/** A line as a message: a JSON object that tells its type; `null` for any other line. */
function readMessage(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    const message = JSON.parse(line);
    return typeof message.type === "string" ? message : null;
  } catch {
    return null;
  }
}

/** The lines that are not empty; at the end, what there is of one that was not finished. */
async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, string> {
  const splitter = new LineSplitter();
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    for (const line of splitter.take(text)) if (line !== "") yield line;
  }
  return splitter.rest;
}

async function forward(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onLine: (line: string) => void,
): Promise<void> {
  const found = lines(stream);
  let next = await found.next();
  for (; !next.done; next = await found.next()) onLine(next.value);
  if (next.value !== "") onLine(next.value);
}
