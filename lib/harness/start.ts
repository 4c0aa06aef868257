import { describeExperiment, type ExperimentDescription, isExperimentFile } from "../experiments/mod.ts";
import { isCommandLine, MisuseError, type RunStatus } from "../record/mod.ts";
import { explainRefusal } from "../system/mod.ts";
import { CONFIG_PATH } from "./layout.ts";
import { noNetwork } from "./place.ts";
import { describeEnd, Program } from "./program.ts";
import {
  type DescribeRequest,
  type Plan,
  type RunRequest,
  SETTLED,
  type SuperviseRequest,
  type SupervisorEvent,
} from "./protocol.ts";
import { toError } from "./refusal.ts";
import { describingRights, supervisorRights } from "./rights.ts";

const SUPERVISOR_SCRIPT = new URL("supervisor_main.ts", import.meta.url);

/** How long a supervisor may take to bring a run to its end when it is told to, in milliseconds. */
const END_LIMIT_MS = 15_000;

/** What a supervisor has nothing more to say after. */
const LAST_WORDS: ReadonlySet<SupervisorEvent["type"]> = new Set(["described", "planned", "finished"]);

/** What {@linkcode startRun} takes beside the request. */
export interface StartOptions {
  /** Interrupts the run when it aborts: the rows so far are kept. */
  signal?: AbortSignal;
  /**
   * Takes what happens; a promise of it is waited for. A measurement begins its next timed interval when this
   * is done with what came before.
   */
  onEvent?: (event: SupervisorEvent) => unknown;
  /** Takes what the run's processes write to standard error. @default {our own standard error} */
  onStderr?: (line: string) => void;
}

/** A run that has ended, whatever way. */
export interface EndedRun {
  /** `<experiment>/<run id>`. */
  readonly id: string;
  /** Its folder. */
  readonly path: string;
  /** How it ended. */
  readonly status: RunStatus;
  /** Why it is not complete; `null` when it is. */
  readonly reason: string | null;
}

/**
 * Runs an experiment in processes of its own, and waits until it has ended.
 *
 * @param request what is to be run
 * @param options interruption, and where events go
 * @returns how the run ended
 * @throws {MisuseError} the request cannot be carried out as it was put; nothing was started
 * @throws {CannotRunHereError} this machine cannot carry it out; nothing was started
 * @throws {Error} the supervisor died before there was a run
 */
export async function startRun(request: RunRequest, options: StartOptions = {}): Promise<EndedRun> {
  const last = await carryOut({ ...request, dryRun: false }, options);
  if (last.type === "finished") return last;
  throw new Error(`Cannot run ${request.experiment} as its supervisor ended without a word`);
}

/**
 * Works out what a run would do. Nothing is started.
 *
 * @param request what would be run
 * @param options where events go
 * @returns the plan
 * @throws {MisuseError} the request cannot be carried out as it was put
 * @throws {CannotRunHereError} this machine cannot carry it out
 */
export async function previewRun(request: RunRequest, options: StartOptions = {}): Promise<Plan> {
  const last = await carryOut({ ...request, dryRun: true }, options);
  if (last.type === "planned") return last.plan;
  throw new Error(`Cannot plan ${request.experiment} as its supervisor ended without a word`);
}

/**
 * Tells what an experiment is. A person's file is loaded in a process that may do nothing else.
 *
 * @param experiment its id, or the URL of a file with one as its default export
 * @param options interruption, and where its output goes
 * @returns what a person is told of it
 * @throws {MisuseError} there is no such experiment, its file cannot be loaded, or exports none
 */
export async function describe(
  experiment: string,
  options: StartOptions = {},
): Promise<ExperimentDescription> {
  if (!isExperimentFile(experiment)) return await describeExperiment(experiment);
  const last = await converse({ experiment, describe: true }, options);
  if (last.type === "described") return last.description;
  throw new Error(`Cannot describe ${experiment} as its supervisor ended without a word`);
}

/**
 * Lets a supervisor carry a run out; what it said last. Only the supervisor knows what the experiment needs with
 * these parameters, since it alone loads a person's file: one that finds that it is to be in a network of its own
 * has started nothing, and another takes its place there.
 */
async function carryOut(request: RunRequest, options: StartOptions): Promise<SupervisorEvent> {
  const last = await converse({ ...request, isolation: "none" }, options);
  return last.type === "elsewhere" ? await converse({ ...request, isolation: "namespace" }, options) : last;
}

/** Lets a supervisor answer a request; what it said last. */
async function converse(
  request: SuperviseRequest | DescribeRequest,
  options: StartOptions = {},
): Promise<SupervisorEvent> {
  const { signal, onEvent, onStderr = (line) => console.error(line) } = options;
  const { experiment } = request;
  const rights = "describe" in request
    ? describingRights(experiment)
    : supervisorRights(experiment, request.dataDirectory, programsIn(request));
  const ownNetwork = "isolation" in request && request.isolation === "namespace";
  let lastLine = "";
  const supervisor = new Program(SUPERVISOR_SCRIPT, {
    config: CONFIG_PATH,
    // In a network of its own there is nobody to ask: the supervisor before it has asked.
    permissions: [...rights, ...(ownNetwork ? [] : reload(experiment))],
    frozen: !isExperimentFile(experiment),
    ownNetwork,
    onStderr: (line) => {
      lastLine = line;
      onStderr(line);
    },
  });
  let limit: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    supervisor.stop();
    limit = setTimeout(() => supervisor.kill(), END_LIMIT_MS);
  };
  signal?.addEventListener("abort", stop);
  try {
    await supervisor.send(request);
    if (signal?.aborted) stop();
    let created: { id: string; path: string } | null = null;
    for await (const message of supervisor.messages()) {
      const event = message as unknown as SupervisorEvent;
      if (event.type === "elsewhere") return event;
      if (event.type === "settle") {
        await supervisor.send(SETTLED);
        continue;
      }
      await onEvent?.(event);
      if (event.type === "refused") throw toError(event);
      if (LAST_WORDS.has(event.type)) return event;
      if (event.type === "created") created = { id: event.id, path: event.path };
    }
    const how = describeEnd(await supervisor.ended);
    if (!created && "describe" in request) {
      throw new MisuseError(`Cannot load experiment file ${experiment} as the process that loads it ${how}`);
    }
    // Namespaces may run out after the try: what ended is unshare then, before it became the supervisor.
    if (!created && ownNetwork && lastLine.startsWith("unshare: ")) {
      throw noNetwork(experiment, explainRefusal(lastLine));
    }
    if (!created) throw new Error(`Cannot run ${experiment} as its supervisor ${how}`);
    return { type: "finished", ...created, status: "incomplete", reason: `Its supervisor ${how}` };
  } finally {
    signal?.removeEventListener("abort", stop);
    await supervisor.end(END_LIMIT_MS);
    clearTimeout(limit);
  }
}

/** The programs that a person named. */
function programsIn({ params }: RunRequest): string[] {
  return Object.values(params).filter(isCommandLine).map(({ program }) => program);
}

/** Deno keeps what a URL gave it: an edit there counts as the first of a run's processes asks anew. */
function reload(experiment: string): string[] {
  const { protocol, origin } = URL.parse(experiment) ?? {};
  return protocol?.startsWith("http") ? [`--reload=${origin}`] : [];
}
