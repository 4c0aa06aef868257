/** No child of a test runs longer: one that hangs fails its test instead of stopping them all. */
const LONGEST_MS = 30_000;

/** A program that a test has started. */
export interface Child extends AsyncDisposable {
  /** The process. */
  readonly process: Deno.ChildProcess;
  /** Writes text to its standard input. */
  write(text: string): Promise<void>;
  /** Ends its standard input. */
  end(): Promise<void>;
  /** Reads its standard output no further: what it writes from now on finds a broken pipe. */
  hangUp(): Promise<void>;
  /** The next line of its standard output as JSON; `null` at the end. */
  next(): Promise<unknown>;
}

/**
 * Starts a program of this folder with the given rights, as the lab starts its own: detached, with a pipe
 * at both ends. One that outlives its test is killed.
 *
 * @param program the file's name
 * @param rights the flags of `deno run`
 * @param under a program that starts it, with its arguments. @default {none}
 * @returns the child
 */
export function startChild(
  program: string,
  rights: readonly string[] = [],
  under: readonly string[] = [],
): Child {
  const path = new URL(program, import.meta.url).href;
  const [command = "deno", ...rest] = [...under, "deno"];
  const process = new Deno.Command(command, {
    args: [...rest, "run", "--quiet", "--no-prompt", "--no-lock", ...rights, path],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
    detached: true,
  }).spawn();
  const kill = () => {
    try {
      process.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const timer = setTimeout(kill, LONGEST_MS);
  const writer = process.stdin.getWriter();
  const lines = readLines(process.stdout);
  return {
    process,
    write: (text) => writer.write(new TextEncoder().encode(text)),
    end: () => writer.close(),
    async hangUp() {
      await lines.return(undefined);
    },
    async next() {
      const { value, done } = await lines.next();
      return done ? null : JSON.parse(value);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      kill();
      await process.status;
      await writer.close().catch(() => {/* it was closed, or its reader is gone */});
      await lines.return(undefined);
    },
  };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (
    const text of stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
  ) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") throw new Error(`The child ended in the middle of a line: ${rest}`);
  return undefined;
}
