/**
 * The measuring process: loads the experiment afresh, measures, and sends environment, rows and
 * progress to the supervisor. It may start no program and write no file.
 *
 * @module
 */
import { loadExperiment, type MeasureContext } from "../experiments/mod.ts";
import { type Environment, resolveParams } from "../record/mod.ts";
import { randomSource } from "../stats/mod.ts";
import { announce, Lifeline, readEnvironment } from "../system/mod.ts";
import type { MeasureEvent, MeasureSpec } from "./protocol.ts";
import { Recorder } from "./recorder.ts";

const PROGRESS_INTERVAL_MS = 100;

function send(event: MeasureEvent): void {
  announce({ ...event });
}

/** What an experiment sees of this process. */
function makeContext(
  spec: MeasureSpec,
  environment: Environment,
  recorder: Recorder,
  signal: AbortSignal,
): MeasureContext {
  const origin = performance.now();
  const warned = new Set<string>();
  let reported = -Infinity;
  return {
    servers: spec.servers,
    environment,
    signal,
    seed: spec.seed,
    random: randomSource(spec.seed),
    now: () => performance.now() - origin,
    emit: (table, row) => recorder.emit(table, row),
    timed: (work) => recorder.timed(work),
    progress(done, total, text) {
      if (recorder.timing) return;
      recorder.flush();
      const now = performance.now();
      if (done < total && now - reported < PROGRESS_INTERVAL_MS) return;
      reported = now;
      send({ type: "progress", done, total, text });
    },
    warn(warning) {
      if (warned.has(warning.code)) return;
      warned.add(warning.code);
      send({ type: "warning", warning });
    },
  };
}

async function measure(lifeline: Lifeline): Promise<void> {
  const line = await lifeline.nextLine();
  if (line === null) return;
  const spec: MeasureSpec = JSON.parse(line);
  const environment = readEnvironment({ isolation: spec.isolation, source: spec.source });
  send({ type: "environment", environment });
  const { experiment } = await loadExperiment(spec.experiment);
  const { values } = resolveParams(experiment.params, spec.params);
  const recorder = new Recorder(
    experiment.tables,
    (table, text, count) => send({ type: "rows", table, text, count }),
  );
  // A run that is to stop may be killed before its experiment notices: what was taken goes first.
  lifeline.signal.addEventListener("abort", () => recorder.flush(), { once: true });
  try {
    await experiment.measure(values, makeContext(spec, environment, recorder, lifeline.signal));
  } finally {
    recorder.flush();
  }
}

// Standard output belongs to the protocol: what an experiment prints is a message to the person.
console.log = console.info = console.debug = console.error;
const lifeline = new Lifeline();
try {
  await measure(lifeline);
  send({ type: "done" });
} catch (error) {
  send({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  if (error instanceof Error && error.stack && !lifeline.signal.aborted) console.error(error.stack);
}
// An experiment may have left something open: the measurement is over all the same.
Deno.exit(0);
