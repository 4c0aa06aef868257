import { LineSplitter } from "../system/mod.ts";

/** Where a server said that it listens. */
export interface Announcement {
  /** The address. */
  readonly hostname: string;
  /** The first port. */
  readonly port: number;
  /** Further ports. */
  readonly ports: readonly number[];
  /** Its process id. */
  readonly pid: number;
}

/** How a server ended. */
export interface ServerEnd {
  /** Its exit status. */
  readonly code: number;
  /** What it wrote on standard output after it had announced itself. */
  readonly output: string;
  /** What it wrote on standard error. */
  readonly complaints: string;
}

/** What a {@linkcode ServerProcess} is started with. */
export interface ServerProcessOptions {
  /** Its command line. @default {none} */
  readonly flags?: readonly string[];
  /** The addresses that it may use. @default {127.0.0.1} */
  readonly net?: readonly string[] | undefined;
  /** What it is told on its standard input before it listens, such as a key. @default {nothing} */
  readonly told?: Readonly<Record<string, unknown>> | undefined;
  /** Further rights, as flags of `deno run`. @default {none} */
  readonly rights?: readonly string[];
}

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** A server in a process of its own, with the rights that it has in a run. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #output: ReadableStreamDefaultReader<string>;
  readonly #complaints: Promise<string>;
  #announcement: Announcement | null = null;
  #ended: Promise<ServerEnd> | null = null;

  private constructor(
    script: URL,
    { flags = [], net = ["127.0.0.1"], rights = [] }: Omit<ServerProcessOptions, "told">,
  ) {
    this.#child = new Deno.Command("deno", {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        "--frozen",
        `--config=${CONFIG}`,
        `--allow-net=${net.join()}`,
        ...rights,
        script.href,
        ...flags,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#complaints = new Response(this.#child.stderr).text();
  }

  /**
   * Starts a server and waits until it listens.
   *
   * @param script its main module
   * @param options its command line, its rights, what it is told
   * @returns the server
   * @throws {Error} it ended before it listened
   */
  static async start(script: URL, options: ServerProcessOptions = {}): Promise<ServerProcess> {
    const server = new ServerProcess(script, options);
    if (options.told !== undefined) await server.#tell(JSON.stringify(options.told));
    const splitter = new LineSplitter();
    for (;;) {
      const { value, done } = await server.#output.read();
      if (done) throw new Error(`The server did not start: ${(await server.end()).complaints}`);
      const [line] = splitter.take(value);
      if (line === undefined) continue;
      server.#announcement = JSON.parse(line);
      return server;
    }
  }

  /**
   * Runs a server that is not expected to serve.
   *
   * @param script its main module
   * @param flags its command line
   * @returns how it ended
   */
  static async run(script: URL, flags: readonly string[]): Promise<ServerEnd> {
    await using server = new ServerProcess(script, { flags });
    return await server.end();
  }

  /** What it said of itself. */
  get announcement(): Announcement {
    return this.#announcement!;
  }

  /** Its first port. */
  get port(): number {
    return this.announcement.port;
  }

  /**
   * Asks its control port, the first of its further ports.
   *
   * @param path such as `/stats`
   * @returns what the JSON says
   */
  // deno-lint-ignore no-explicit-any -- every server gives a shape of its own
  async control(path: string): Promise<any> {
    const { hostname, ports } = this.announcement;
    const response = await fetch(`http://${hostname}:${ports[0]}${path}`);
    return await response.json();
  }

  /**
   * Asks its control port until the answer is as it should be.
   *
   * @param path such as `/stats`
   * @param condition what is waited for
   * @param timeoutMs how long at most, in milliseconds
   * @returns the answer
   * @throws {Error} it was never so
   */
  async controlUntil(
    path: string,
    // deno-lint-ignore no-explicit-any -- every server gives a shape of its own
    condition: (answer: any) => boolean,
    timeoutMs = 10_000,
    // deno-lint-ignore no-explicit-any -- every server gives a shape of its own
  ): Promise<any> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const answer = await this.control(path);
      if (condition(answer)) return answer;
      if (performance.now() > deadlineMs) throw new Error(`${path} stays: ${JSON.stringify(answer)}`);
      await new Promise((wake) => setTimeout(wake, 5));
    }
  }

  /**
   * Ends it, and waits for its end.
   *
   * @param lines what it is told in place of the end of its standard input, such as `stop`
   * @returns how it ended
   */
  end(...lines: string[]): Promise<ServerEnd> {
    return this.#ended ??= this.#end(lines);
  }

  async #tell(line: string): Promise<void> {
    const input = this.#child.stdin.getWriter();
    await input.write(new TextEncoder().encode(`${line}\n`));
    input.releaseLock();
  }

  async #end(lines: readonly string[]): Promise<ServerEnd> {
    for (const line of lines) await this.#tell(line);
    if (lines.length === 0) await this.#child.stdin.close();
    let output = "";
    for (let next = await this.#output.read(); !next.done; next = await this.#output.read()) {
      output += next.value;
    }
    const { code } = await this.#child.status;
    if (lines.length > 0) {
      await this.#child.stdin.abort().catch(() => {/* the pipe broke with the process */});
    }
    return { code, output, complaints: await this.#complaints };
  }

  /** Ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
