import { stripVTControlCharacters } from "node:util";
import type { Prepared, ServerHandle, ServerHandles, ServerSpec } from "../experiments/mod.ts";
import { type CommandLine, joinWords, withoutFolders } from "../record/mod.ts";
import { sendSignalToGroup } from "../system/mod.ts";
import { CONFIG_PATH, serverScript } from "./layout.ts";
import { Networks } from "./networks.ts";
import { describeEnd, Program, type ProgramEnd } from "./program.ts";
import type { ServerEnded } from "./protocol.ts";
import { serverRights } from "./rights.ts";

/** What a server may take until it listens when its spec does not say, in milliseconds. */
const START_MS = 10_000;

/** What its process may take to start besides, in milliseconds. */
const START_SPARE_MS = 5000;

/** How much longer each takes when one more starts beside it, in milliseconds: they share few processors. */
const START_EACH_MS = 500;

/** Lines of a server's standard error that are kept to explain its end. */
const KEPT_LINES = 20;

/** As many of them stand in the reason of a run that fails by it. */
const REASON_LINES = 5;

/** What servers are told, under their keys. */
type Told = NonNullable<Prepared["servers"]>;

/** Options of {@linkcode Servers.start}. */
export interface StartOptions {
  /** What each is told on its standard input as it starts, under its key. @default {nothing} */
  told?: Told;
  /** Settles when nobody wants them any more, whether or not they listen yet. @default {it never does} */
  givenUp?: Promise<unknown>;
}

/** The servers of one run. */
export class Servers implements AsyncDisposable {
  /** What each announced of itself, by name. */
  readonly handles: ServerHandles;
  /** Settles when one that may not end has ended before it was told to: the reason, for people. */
  readonly lost: Promise<string>;
  readonly #started: readonly StartedServer[];
  readonly #networks: Networks;

  private constructor(started: readonly StartedServer[], handles: ServerHandles, networks: Networks) {
    this.#started = started;
    this.#networks = networks;
    this.handles = handles;
    this.lost = Promise.race(started.filter(({ spec }) => !spec.mayEnd).map(({ lost }) => lost));
  }

  /** What those are called that may end. */
  get mayEnd(): readonly string[] {
    return this.#started.filter(({ spec }) => spec.mayEnd).map(({ spec }) => nameOf(spec));
  }

  /**
   * Tells of those that have ended or will, and may.
   *
   * @param tell takes each end, once
   */
  tellEnds(tell: (ended: ServerEnded) => void): void {
    for (const { spec, ended } of this.#started) if (spec.mayEnd) ended.then(tell);
  }

  /**
   * Starts servers and waits until each listens. One whose flags depend on others waits for those before it.
   *
   * @param specs the programs and their flags, in order
   * @param options what each is told, and when they are wanted no more
   * @returns the servers
   * @throws {Error} one did not start, or they are wanted no more; none is left behind
   */
  static async start(specs: readonly ServerSpec[], options: StartOptions = {}): Promise<Servers> {
    const { told = {}, givenUp } = options;
    const started: StartedServer[] = [];
    const networks = new Networks();
    const unwanted = new Promise<never>((_, reject) => {
      givenUp?.then(() => reject(new Error("The run ended before its servers listened")));
    });
    unwanted.catch(() => {/* they all listen by now, or one of them did not start */});
    const handles = () => Promise.race([handlesOf(started), unwanted]);
    try {
      for (const spec of specs) {
        const { flags } = spec;
        const server = startServer(
          spec,
          typeof flags === "function" ? flags(await handles()) : flags,
          { networks, spareMs: START_SPARE_MS + specs.length * START_EACH_MS },
        );
        started.push(server);
        const part = told[nameOf(spec)];
        if (part !== undefined) await server.program.send(part);
      }
      return new Servers(started, await handles(), networks);
    } catch (error) {
      await end(started, networks);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.#started, this.#networks);
  }
}

interface StartedServer {
  readonly spec: ServerSpec;
  readonly program: Program;
  readonly announced: Promise<ServerHandle>;
  readonly ended: Promise<ServerEnded>;
  readonly lost: Promise<string>;
}

/** What a server is called in its run. */
function nameOf({ name, as = name }: ServerSpec): string {
  return as;
}

/** What each announced of itself, when all have. */
async function handlesOf(started: readonly StartedServer[]): Promise<ServerHandles> {
  const handles = await Promise.all(started.map(({ announced }) => announced));
  return Object.fromEntries(started.map(({ spec }, index) => [nameOf(spec), handles[index]!]));
}

/** Ends them all. One that has not announced itself by now never will, and nobody waits for it any more. */
async function end(started: readonly StartedServer[], networks: Networks): Promise<void> {
  using _ = networks;
  await Promise.allSettled(started.flatMap(({ program, announced }) => [program.end(), announced]));
}

function startServer(
  spec: ServerSpec,
  flags: readonly string[],
  { networks, spareMs }: { networks: Networks; spareMs: number },
): StartedServer {
  const name = nameOf(spec);
  const { startMs = START_MS } = spec;
  const said: string[] = [];
  const start = () =>
    new Program(serverScript(spec.name), {
      config: CONFIG_PATH,
      permissions: serverRights(spec),
      args: spec.run === undefined ? flags : [...flags, ...commandFlags(spec.run, startMs)],
      onStderr: (line) => {
        const plain = stripVTControlCharacters(line);
        // It is recorded, perhaps: a person's own program may name that person's folders.
        said.push(spec.run === undefined ? plain : withoutFolders(plain));
        if (said.length > KEPT_LINES) said.shift();
      },
    });
  const program = spec.network === undefined ? start() : networks.within(spec.network, start);
  const first = firstWords(program);
  const ended = endOf(program, first).then(({ atMs, ...end }): ServerEnded => (
    { type: "ended", server: name, end: { ...end, said: [...said] }, atMs }
  ));
  const lost = ended.then(({ end }) =>
    [`Server ${name} ${describeEnd(end)}`, ...end.said.slice(-REASON_LINES)].join("\n")
  );
  return {
    spec,
    program,
    announced: announced(name, first, { lost, ended, waitMs: startMs + spareMs }),
    ended,
    lost,
  };
}

/** How the server `command` is told what it starts. */
function commandFlags({ program, args, folder }: CommandLine, startMs: number): string[] {
  return [
    ...["--run", joinWords([program, ...args]), "--start-timeout", `${startMs}ms`],
    ...(folder === null ? [] : ["--folder", folder]),
  ];
}

/** What a server says until it listens. */
interface FirstWords {
  /** What it announces of itself; `null` when it ended before it did. */
  readonly handle: ServerHandle | null;
  /** Why what it has started is of no use; `null` when it does not say that. */
  readonly refused: string | null;
  /** The process that it has started; `null` for none. */
  readonly started: number | null;
}

async function firstWords(program: Program): Promise<FirstWords> {
  let started: number | null = null;
  for (;;) {
    const message = await program.next();
    if (typeof message?.started !== "number") {
      const isHandle = message !== null && "port" in message;
      return {
        handle: isHandle ? message as unknown as ServerHandle : null,
        refused: typeof message?.refused === "string" ? message.refused : null,
        started,
      };
    }
    started = message.started;
  }
}

/** How a server ended, and when, in milliseconds since 1970. */
type DatedEnd = ProgramEnd & { readonly atMs: number };

/**
 * How a server ended: for one that starts a program, how that did, if it says so. When it was killed it cannot end that
 * program any more, and it is done here.
 */
async function endOf(program: Program, first: Promise<FirstWords>): Promise<DatedEnd> {
  const end = { ...await program.ended, atMs: Date.now() };
  // What cannot be read is refused where it is waited for.
  const { handle, started } = await first.catch((): FirstWords => ({
    handle: null,
    refused: null,
    started: null,
  }));
  if (started === null) return end;
  const last = handle === null ? null : await program.next();
  if (last !== null) return last.ended as DatedEnd;
  if (end.signal !== null) sendSignalToGroup(started, "SIGKILL");
  return end;
}

async function announced(
  name: string,
  first: Promise<FirstWords>,
  { lost, ended, waitMs }: { lost: Promise<string>; ended: Promise<ServerEnded>; waitMs: number },
): Promise<ServerHandle> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `Server ${name} did not announce its port within ${waitMs / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), waitMs);
  });
  try {
    const { handle, refused } = await Promise.race([first, late]);
    if (handle === null) {
      throw new Error(refused === null ? await lost : refusedText(refused, (await ended).end));
    }
    return handle;
  } finally {
    clearTimeout(timer);
  }
}

/** Why a server is of no use, and what it said before that. */
function refusedText(refused: string, { said }: ServerEnded["end"]): string {
  const reason = refused.split("\n");
  const words = said.filter((line) => !reason.includes(line)).slice(-REASON_LINES);
  return [...reason, ...(words.length === 0 ? [] : ["Its last words:", ...words])].join("\n");
}
