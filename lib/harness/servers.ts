import type { Prepared, ServerHandle, ServerHandles, ServerSpec } from "../experiments/mod.ts";
import { CONFIG_PATH, serverScript } from "./layout.ts";
import { describeEnd, Program } from "./program.ts";
import { serverRights } from "./rights.ts";

const START_TIMEOUT_MS = 15_000;

/** Lines of a server's standard error that are kept to explain its end. */
const KEPT_LINES = 5;

/** What servers are told, under their keys. */
type Told = NonNullable<Prepared["servers"]>;

/** The servers of one run. */
export class Servers implements AsyncDisposable {
  /** What each announced of itself, by name. */
  readonly handles: ServerHandles;
  /** Settles when one that may not end has ended before it was told to: the reason, for people. */
  readonly lost: Promise<string>;
  readonly #started: readonly StartedServer[];

  private constructor(started: readonly StartedServer[], handles: ServerHandles) {
    this.#started = started;
    this.handles = handles;
    this.lost = Promise.race(started.filter(({ spec }) => !spec.mayEnd).map(({ lost }) => lost));
  }

  /**
   * Starts servers and waits until each listens. One whose flags depend on others waits for those before it.
   *
   * @param specs the programs and their flags, in order
   * @param told what each is told on its standard input as it starts, under its key. @default {nothing}
   * @returns the servers
   * @throws {Error} one did not start; none is left behind
   */
  static async start(specs: readonly ServerSpec[], told: Told = {}): Promise<Servers> {
    const started: StartedServer[] = [];
    try {
      for (const spec of specs) {
        const { flags, name, as = name } = spec;
        const server = startServer(
          spec,
          typeof flags === "function" ? flags(await handlesOf(started)) : flags,
        );
        started.push(server);
        if (told[as] !== undefined) await server.program.send(told[as]);
      }
      return new Servers(started, await handlesOf(started));
    } catch (error) {
      await end(started);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.#started);
  }
}

interface StartedServer {
  readonly spec: ServerSpec;
  readonly program: Program;
  readonly announced: Promise<ServerHandle>;
  readonly lost: Promise<string>;
}

/** What each announced of itself, when all have. */
async function handlesOf(started: readonly StartedServer[]): Promise<ServerHandles> {
  const handles = await Promise.all(started.map(({ announced }) => announced));
  return Object.fromEntries(started.map(({ spec: { name, as = name } }, index) => [as, handles[index]!]));
}

/** Ends them all. One that has not announced itself by now never will, and nobody waits for it any more. */
async function end(started: readonly StartedServer[]): Promise<void> {
  await Promise.allSettled(started.flatMap(({ program, announced }) => [program.end(), announced]));
}

function startServer(spec: ServerSpec, flags: readonly string[]): StartedServer {
  const { name, as = name } = spec;
  const said: string[] = [];
  const program = new Program(serverScript(name), {
    config: CONFIG_PATH,
    permissions: serverRights(spec),
    args: flags,
    onStderr: (line) => {
      said.push(line);
      if (said.length > KEPT_LINES) said.shift();
    },
  });
  const lost = program.ended.then((end) => [`Server ${as} ${describeEnd(end)}`, ...said].join("\n"));
  return { spec, program, announced: announced(as, program, lost), lost };
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
