/** Options of {@linkcode announce}. */
export interface AnnounceOptions {
  /** Where it is written. @default {standard output} */
  readonly output?: { writeSync(bytes: Uint8Array): number };
  /** Whether half a line that something else has written is ended first. @default {false} */
  readonly apart?: boolean;
}

const encoder = new TextEncoder();

/**
 * Writes a message as one line of JSON on standard output, and returns when the whole line is written: a
 * pipe takes a long line in parts, and waits for its reader.
 *
 * Needs no right.
 *
 * @param message what is said
 * @param options where it is written
 * @throws {Deno.errors.BrokenPipe} nobody reads any more
 *
 * @example
 * ```ts ignore
 * announce({ port: 8080, pid: Deno.pid });
 * ```
 */
export function announce(message: Readonly<Record<string, unknown>>, options: AnnounceOptions = {}): void {
  const { output = Deno.stdout, apart = false } = options;
  const line = encoder.encode(`${apart ? "\n" : ""}${JSON.stringify(message)}\n`);
  let written = 0;
  while (written < line.length) written += output.writeSync(line.subarray(written));
}
