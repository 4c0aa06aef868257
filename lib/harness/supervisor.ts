import { type Environment, judge, type Metric, type RunStatus, type Warning } from "../record/mod.ts";
import { createRun, readRun, type RunWriter } from "../store/mod.ts";
import { CONFIG_PATH } from "./layout.ts";
import { type PlannedRun, planRun } from "./plan.ts";
import { preflight } from "./preflight.ts";
import { describeEnd, Program } from "./program.ts";
import type { MeasureEvent, MeasureSpec, RunRequest, SupervisorEvent } from "./protocol.ts";
import { measuringRights } from "./rights.ts";
import { Servers } from "./servers.ts";
import { readSourceState } from "./source_state.ts";

const MEASURE_SCRIPT = new URL("measure_main.ts", import.meta.url);

/** How long a measuring process may take to notice that it is to stop, in milliseconds. */
const STOP_GRACE_MS = 3000;

/** What {@linkcode supervise} works with. */
export interface SuperviseOptions {
  /** Aborts when the run is to be interrupted. */
  readonly signal: AbortSignal;
  /** Tells the terminal or the notebook. */
  readonly emit: (event: SupervisorEvent) => void;
  /** Draws a seed. */
  readonly drawSeed: () => number;
}

/** How a measurement ended. */
interface Ending {
  readonly status: RunStatus;
  readonly reason: string | null;
}

const COMPLETE: Ending = { status: "complete", reason: null };
const INTERRUPTED: Ending = { status: "incomplete", reason: "Interrupted" };

/**
 * Carries a run out: checks it, writes its first manifest, starts its servers and its measuring
 * process, stores the rows, and at the end the summary. Whatever happens, rows that came are kept and
 * every process is ended.
 *
 * @param request what is to be run
 * @param options interruption, and where events go
 * @throws {MisuseError} the request cannot be carried out as it was put; nothing was started
 * @throws {CannotRunHereError} this machine cannot carry it out; nothing was started
 */
export async function supervise(request: RunRequest, options: SuperviseOptions): Promise<void> {
  const { emit, signal } = options;
  const planned = await planRun(request, options.drawSeed);
  const warnings = preflight(planned);
  if (request.dryRun) return emit({ type: "planned", plan: planned.plan });
  const writer = openRun(request, planned, warnings);
  emit({ type: "created", id: writer.id, path: writer.path, plan: planned.plan });
  for (const warning of warnings) emit({ type: "warning", warning });
  const session = new Session(request, planned, writer, warnings, emit);
  const ending = await session.measure(signal);
  const { status, reason } = await session.close(ending);
  emit({ type: "finished", id: writer.id, path: writer.path, status, reason });
}

function openRun(request: RunRequest, planned: PlannedRun, warnings: readonly Warning[]): RunWriter {
  const { id, version, title, question, tables } = planned.experiment;
  return createRun(request.dataDirectory, {
    experiment: { id, version, title, question, origin: planned.origin },
    label: request.label,
    params: planned.plan.params,
    seed: planned.plan.seed,
    tables,
    warnings,
  });
}

/** One run between its first manifest and its last. */
class Session {
  readonly #request: RunRequest;
  readonly #planned: PlannedRun;
  readonly #writer: RunWriter;
  readonly #warnings: Warning[];
  readonly #emit: (event: SupervisorEvent) => void;
  #environment: Environment | null = null;

  constructor(
    request: RunRequest,
    planned: PlannedRun,
    writer: RunWriter,
    warnings: Warning[],
    emit: (event: SupervisorEvent) => void,
  ) {
    this.#request = request;
    this.#planned = planned;
    this.#writer = writer;
    this.#warnings = warnings;
    this.#emit = emit;
  }

  /** Starts servers and measuring process, and takes what it sends until it ends or must. */
  async measure(signal: AbortSignal): Promise<Ending> {
    try {
      await using servers = await Servers.start(this.#planned.servers);
      await using program = new Program(MEASURE_SCRIPT, {
        config: CONFIG_PATH,
        permissions: measuringRights(this.#request.experiment, this.#planned.needs),
        frozen: this.#planned.origin === "lab",
      });
      return await this.#supervise(program, servers, signal);
    } catch (error) {
      return failed(error);
    }
  }

  async #supervise(program: Program, servers: Servers, signal: AbortSignal): Promise<Ending> {
    const { plan } = this.#planned;
    const stop = Promise.withResolvers<Ending>();
    const interrupt = () => stop.resolve(INTERRUPTED);
    if (signal.aborted) interrupt();
    signal.addEventListener("abort", interrupt);
    const budget = setTimeout(() => {
      const reason = `Took longer than its budget of ${Math.round(plan.budgetMs / 1000)} s`;
      stop.resolve({ status: "failed", reason });
    }, plan.budgetMs);
    servers.lost.then((reason) => stop.resolve({ status: "failed", reason }));
    const spec: MeasureSpec = {
      experiment: this.#request.experiment,
      params: plan.params,
      seed: plan.seed,
      servers: servers.handles,
      isolation: "none",
    };
    await program.send(spec);
    const taken = this.#take(program).catch((error) => failed(error));
    try {
      const first = await Promise.race([taken, stop.promise]);
      if (first === await Promise.race([taken, null])) return first;
      // It is to stop: what it still sends is taken, for a while.
      await program.stop();
      const grace = setTimeout(() => program.kill(), STOP_GRACE_MS);
      const last = await taken;
      clearTimeout(grace);
      return last.status === "failed" && first === INTERRUPTED && last.reason !== null && this.#writer.failed
        ? last
        : first;
    } finally {
      clearTimeout(budget);
      signal.removeEventListener("abort", interrupt);
    }
  }

  /** Stores what the measuring process sends, until it says how it ended. */
  async #take(program: Program): Promise<Ending> {
    for await (const message of program.messages()) {
      const event = message as unknown as MeasureEvent;
      switch (event.type) {
        case "environment":
          this.#environment = { ...event.environment };
          this.#writer.update({ environment: this.#environment, warnings: this.#warnings });
          break;
        case "rows":
          this.#writer.append(event.table, event.text, event.count);
          break;
        case "warning":
          this.#warnings.push(event.warning);
          this.#emit(event);
          break;
        case "progress":
          this.#emit(event);
          break;
        case "done":
          return COMPLETE;
        case "failed":
          return { status: "failed", reason: event.message };
      }
    }
    return { status: "failed", reason: `The measuring process ${describeEnd(await program.ended)}` };
  }

  async close(ending: Ending): Promise<Ending> {
    return ending;
  }
}

function failed(error: unknown): Ending {
  return { status: "failed", reason: error instanceof Error ? error.message : String(error) };
}
