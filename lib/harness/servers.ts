import type { ServerHandle, ServerSpec } from "../experiments/mod.ts";
import { CONFIG_PATH, serverScript } from "./layout.ts";
import { describeEnd, Program } from "./program.ts";
import { SERVER_RIGHTS } from "./rights.ts";

const START_TIMEOUT_MS = 15_000;

/** Lines of a server's standard error that are kept to explain its end. */
const KEPT_LINES = 5;

/** The servers of one run. */
export class Servers implements AsyncDisposable {
  /** What each announced of itself, by name. */
  readonly handles: Readonly<Record<string, ServerHandle>>;
  /** Settles when one ended before it was told to: the reason, for people. */
  readonly lost: Promise<string>;
  readonly #programs: readonly Program[];

  private constructor(
    programs: readonly Program[],
    handles: Record<string, ServerHandle>,
    lost: Promise<string>,
  ) {
    this.#programs = programs;
    this.handles = handles;
    this.lost = lost;
  }

  /**
   * Starts servers and waits until each listens.
   *
   * @param specs the programs and their flags
   * @returns the servers
   * @throws {Error} one did not start; none is left behind
   */
  static async start(specs: readonly ServerSpec[]): Promise<Servers> {
    const started = specs.map((spec) => startServer(spec));
    try {
      const handles: Record<string, ServerHandle> = {};
      for (const [index, { name, as = name }] of specs.entries()) {
        handles[as] = await started[index]!.announced;
      }
      return new Servers(
        started.map(({ program }) => program),
        handles,
        Promise.race(started.map(({ lost }) => lost)),
      );
    } catch (error) {
      await Promise.all(started.map(({ program }) => program.end()));
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.end()));
  }
}

interface StartedServer {
  readonly program: Program;
  readonly announced: Promise<ServerHandle>;
  readonly lost: Promise<string>;
}

function startServer({ name, flags }: ServerSpec): StartedServer {
  const said: string[] = [];
  const program = new Program(serverScript(name), {
    config: CONFIG_PATH,
    permissions: SERVER_RIGHTS,
    args: flags,
    onStderr: (line) => {
      said.push(line);
      if (said.length > KEPT_LINES) said.shift();
    },
  });
  const lost = program.ended.then((end) => [`Server ${name} ${describeEnd(end)}`, ...said].join("\n"));
  return { program, announced: announced(name, program, lost), lost };
}

async function announced(name: string, program: Program, lost: Promise<string>): Promise<ServerHandle> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `Server ${name} did not announce its port within ${START_TIMEOUT_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), START_TIMEOUT_MS);
  });
  try {
    const handle = await Promise.race([program.next(), late]);
    if (handle === null) throw new Error(await lost);
    return handle as unknown as ServerHandle;
  } finally {
    clearTimeout(timer);
  }
}
