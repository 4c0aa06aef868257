import { judge, type ManifestRun, type RunStatus, type Warning } from "../record/mod.ts";
import { checkSummary, createRun, readRun, type RunWriter } from "../store/mod.ts";
import { after } from "./after.ts";
import { CONFIG_PATH } from "./layout.ts";
import { findPlace, type Place, writeIn } from "./place.ts";
import { type PlannedRun, planRun } from "./plan.ts";
import { preflight } from "./preflight.ts";
import { prepareRun } from "./prepare.ts";
import { describeEnd, Program } from "./program.ts";
import {
  type MeasureEvent,
  type MeasureSpec,
  SETTLED,
  STOP_GRACE_MS,
  type SuperviseRequest,
  type SupervisorEvent,
} from "./protocol.ts";
import { measuringRights } from "./rights.ts";
import { Servers } from "./servers.ts";
import { readSourceState } from "./source_state.ts";

const MEASURE_SCRIPT = new URL("measure_main.ts", import.meta.url);

/**
 * A proxy between client and server would be measured with them. What `NO_PROXY` may say, and which spelling
 * wins, differs from client to client: where there is no proxy there is nothing to except.
 */
const NO_PROXY: Readonly<Record<string, string>> = {
  ...{ HTTP_PROXY: "", HTTPS_PROXY: "", ALL_PROXY: "" },
  ...{ http_proxy: "", https_proxy: "", all_proxy: "" },
};

/** What {@linkcode supervise} works with. */
export interface SuperviseOptions {
  /** Aborts when the run is to be interrupted. */
  readonly signal: AbortSignal;
  /** Tells the terminal or the notebook. */
  readonly emit: (event: SupervisorEvent) => void;
  /** Waits until what was told has been shown. */
  readonly settled: () => Promise<void>;
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
const STOPPED: Ending = { status: "incomplete", reason: "The measuring process was asked to stop" };

function failed(error: unknown): Ending {
  return { status: "failed", reason: error instanceof Error ? error.message : String(error) };
}

/**
 * Carries a run out: checks it and where it may take place, writes its first manifest, starts its servers and its measuring
 * process, stores the rows, and at the end the summary. Whatever happens, rows that came are kept and
 * every process is ended.
 *
 * @param request what is to be run
 * @param options interruption, and where events go
 * @throws {MisuseError} the request cannot be carried out as it was put; nothing was started
 * @throws {CannotRunHereError} this machine cannot carry it out; nothing was started
 */
export async function supervise(request: SuperviseRequest, options: SuperviseOptions): Promise<void> {
  const { emit } = options;
  const planned = await planRun(request, options.drawSeed);
  const place = await findPlace(planned, request.isolation);
  if (place === null) return emit({ type: "elsewhere" });
  const warnings = [...place.warnings, ...preflight(planned)];
  const { plan } = planned;
  if (request.dryRun) return emit({ type: "planned", plan });
  const { id: experiment, version, title, question, tables } = planned.experiment;
  using writer = writeIn(place, () =>
    createRun(request.dataDirectory, {
      experiment: { id: experiment, version, title, question, origin: planned.origin },
      label: request.label,
      params: plan.params,
      seed: plan.seed,
      tables,
      warnings,
    }));
  const { id, path } = writer;
  emit({ type: "created", id, path, plan });
  for (const warning of warnings) emit({ type: "warning", warning });
  const session = new Session(request, planned, place, writer, warnings, options);
  const ending = await session.conclude(await session.measure());
  emit({ type: "finished", id, path, ...ending });
}

/** One run between its first manifest and its last. */
class Session {
  readonly #request: SuperviseRequest;
  readonly #planned: PlannedRun;
  readonly #place: Place;
  readonly #writer: RunWriter;
  readonly #warnings: Warning[];
  readonly #options: SuperviseOptions;
  #environment: ManifestRun["environment"] = null;

  constructor(
    request: SuperviseRequest,
    planned: PlannedRun,
    place: Place,
    writer: RunWriter,
    warnings: Warning[],
    options: SuperviseOptions,
  ) {
    this.#request = request;
    this.#planned = planned;
    this.#place = place;
    this.#writer = writer;
    this.#warnings = warnings;
    this.#options = options;
  }

  /** Starts servers and measuring process, and takes what it sends until it ends or is to end. */
  async measure(): Promise<Ending> {
    const { signal } = this.#options;
    const { origin, needs, plan, servers: specs } = this.#planned;
    const forced = Promise.withResolvers<Ending>();
    const interrupt = () => forced.resolve(INTERRUPTED);
    signal.addEventListener("abort", interrupt);
    if (signal.aborted) return INTERRUPTED;
    using _budget = after(plan.budgetMs, () => {
      forced.resolve(failed(`It took longer than its budget of ${Math.round(plan.budgetMs / 1000)} s`));
    });
    // Git takes a while: it is asked while the servers start.
    const source = readSourceState();
    try {
      // An experiment may take its time with it: the budget counts, and an interruption.
      const prepared = await Promise.race([prepareRun(this.#planned), forced.promise]);
      if ("status" in prepared) return prepared;
      await using servers = await Servers.start(specs, {
        ...(prepared.servers && { told: prepared.servers }),
        givenUp: forced.promise,
      });
      servers.lost.then((reason) => forced.resolve(failed(reason)));
      await using program = new Program(MEASURE_SCRIPT, {
        config: CONFIG_PATH,
        permissions: measuringRights(this.#request.experiment, needs),
        frozen: origin === "lab",
        env: NO_PROXY,
      });
      const spec: MeasureSpec = {
        experiment: this.#request.experiment,
        params: plan.params,
        seed: plan.seed,
        servers: servers.handles,
        mayEnd: servers.mayEnd,
        prepared: prepared.measure,
        isolation: this.#place.isolation,
        source: await source,
      };
      await program.send(spec);
      servers.tellEnds((ended) => void program.send(ended));
      const taken = this.#take(program).catch(failed);
      const ending = await Promise.race([taken, forced.promise]);
      await program.stop();
      const grace = setTimeout(() => program.kill(), STOP_GRACE_MS);
      // A process that is to end still hands over the rows that it has.
      await taken;
      clearTimeout(grace);
      return ending;
    } catch (error) {
      // What has been decided before counts: servers that are given up fail to start.
      return await Promise.race([forced.promise, failed(error)]);
    } finally {
      signal.removeEventListener("abort", interrupt);
    }
  }

  /** Stores what the measuring process sends, until it says how it ended. */
  async #take(program: Program): Promise<Ending> {
    const { emit, settled } = this.#options;
    for await (const message of program.messages()) {
      const event = message as unknown as MeasureEvent;
      switch (event.type) {
        case "environment":
          this.#environment = event.environment;
          this.#writer.update({ environment: event.environment });
          break;
        case "rows":
          this.#writer.append(event.table, event.text, event.count);
          break;
        case "warning":
          this.#warnings.push(event.warning);
          emit(event);
          break;
        case "progress":
          emit(event);
          break;
        case "settle":
          // Not awaited here: whoever shows the run may be gone, or asleep.
          settled().then(() => program.send(SETTLED));
          break;
        case "done":
          return COMPLETE;
        case "stopped":
          return STOPPED;
        case "failed":
          return failed(event.message);
      }
    }
    return failed(`The measuring process ${describeEnd(await program.ended)}`);
  }

  /** Writes the last manifest; a run that completed has its summary and claims in it. */
  async conclude(ending: Ending): Promise<Ending> {
    const findings = { warnings: this.#warnings, environment: this.#environment };
    try {
      const found = ending.status === "complete" ? await this.#evaluate() : {};
      this.#writer.finish({ ...findings, ...found, ...ending });
      return ending;
    } catch (error) {
      const worse = ending.status === "complete" ? failed(error) : ending;
      try {
        this.#writer.finish({ ...findings, ...worse });
        return worse;
      } catch (error) {
        // A disk that is full takes no manifest either: the first one stands and says `incomplete`.
        const unwritten = `Its end could not be written: ${failed(error).reason}`;
        const { reason } = worse;
        const isTold = reason === null || unwritten.includes(reason);
        return { status: "incomplete", reason: isTold ? unwritten : `${reason}. ${unwritten}` };
      }
    }
  }

  /** Summary and claims, from what can be read back from disk. */
  async #evaluate(): Promise<Pick<ManifestRun, "summary" | "claims">> {
    const { experiment, values, plan } = this.#planned;
    this.#writer.seal();
    const run = await readRun(this.#writer.path);
    // Awaited, since a person's own may give a promise, whose failure is the run's.
    const summary = await checkSummary(await experiment.summarize(run.tables, values, plan.seed));
    const { warnings, environment } = { warnings: this.#warnings, environment: this.#environment };
    const claims = judge(
      experiment.claims ?? [],
      run.with({ status: "complete", summary, warnings, environment }).view(values),
    );
    return { summary, claims };
  }
}
