/**
 * The measuring process: loads the experiment afresh, measures, and sends environment, rows and
 * progress to the supervisor. It may start no program and write no file.
 *
 * @module
 */
import { isExperimentFile, loadExperiment, type MeasureContext, ServerEnds } from "../experiments/mod.ts";
import { type Environment, resolveParams } from "../record/mod.ts";
import { randomSource } from "../stats/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import { answer, type Desk } from "./answer.ts";
import { Inbox } from "./inbox.ts";
import { failureReason, failureTrace } from "./own_failure.ts";
import { type MeasureEvent, type MeasureSpec, STOP_GRACE_MS } from "./protocol.ts";
import { Recorder } from "./recorder.ts";

/** What an experiment sees of this process. */
function makeContext(
  spec: MeasureSpec,
  environment: Environment,
  recorder: Recorder,
  { ends, originMs, signal }: { ends: ServerEnds; originMs: number; signal: AbortSignal },
): MeasureContext {
  return {
    servers: spec.servers,
    prepared: spec.prepared,
    environment,
    signal,
    seed: spec.seed,
    random: randomSource(spec.seed),
    ended: (server) => ends.ended(server),
    endOf: (server) => ends.endOf(server),
    now: () => performance.now() - originMs,
    emit: (table, row) => recorder.emit(table, row),
    timed: (work) => recorder.timed(work),
    progress: (done, total, text) => recorder.progress(done, total, text),
    warn: (warning) => recorder.warn(warning),
  };
}

async function measure(spec: MeasureSpec, { signal, emit, next }: Desk<MeasureEvent>): Promise<void> {
  const environment = readEnvironment({ isolation: spec.isolation, source: spec.source });
  emit({ type: "environment", environment });
  const { experiment } = await loadExperiment(spec.experiment);
  const { values } = resolveParams(experiment.params, spec.params);
  const ends = new ServerEnds(spec.mayEnd);
  const originMs = performance.now();
  const inbox = new Inbox(next, ends, originMs);
  const recorder = new Recorder(experiment.tables, {
    send: emit,
    settled() {
      emit({ type: "settle" });
      return inbox.settled();
    },
  });
  // A run that is to stop may be killed before its experiment notices: what was taken goes first.
  signal.addEventListener("abort", () => recorder.flush(), { once: true });
  keepRows(recorder, emit);
  try {
    await experiment.measure(values, makeContext(spec, environment, recorder, { ends, originMs, signal }));
  } finally {
    recorder.flush();
  }
}

/** Rows are kept too when an experiment ends the process, or forgets an error that does. */
function keepRows(recorder: Recorder, emit: (event: MeasureEvent) => void): void {
  const fail = (error: unknown) => {
    recorder.flush();
    emit({ type: "failed", message: failureReason(error) });
    Deno.exit(0);
  };
  addEventListener("unhandledrejection", ({ reason }) => fail(reason));
  addEventListener("error", ({ error }) => fail(error));
  addEventListener("unload", () => recorder.flush());
}

await answer<MeasureSpec, MeasureEvent>(async (spec, desk) => {
  const { signal, emit } = desk;
  try {
    await measure(spec, desk);
    emit({ type: signal.aborted ? "stopped" : "done" });
  } catch (error) {
    // An experiment that was cut short may fail in any way.
    if (signal.aborted) return emit({ type: "stopped" });
    // Where it came from helps whoever wrote the experiment.
    if (isExperimentFile(spec.experiment) && error instanceof Error) console.error(failureTrace(error));
    emit({ type: "failed", message: failureReason(error) });
  }
}, { graceMs: STOP_GRACE_MS });
