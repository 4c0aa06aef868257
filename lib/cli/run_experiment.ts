import { describe, previewRun, readParamFiles, type RunRequest, startRun } from "../harness/mod.ts";
import { MisuseError, type RunStatus } from "../record/mod.ts";
import { readRun, type StoredRun } from "../store/mod.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { onInterrupt } from "./interrupt.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";
import { experimentHelp, givenParameters, parameterOptions, parseSeed } from "./parameters.ts";
import { print, say } from "./output.ts";
import { ProgressBar } from "./progress.ts";
import { describePlan, runDocument } from "./run_text.ts";
import { workingFolder } from "./working_folder.ts";

const OPTIONS: readonly Option[] = [
  DATA,
  { name: "seed", value: "N", help: "Seed of every random choice (default: drawn and recorded)" },
  { name: "label", value: "TEXT", help: "What you call this run" },
  { name: "quick", value: null, help: "A quick look: each parameter's quick value" },
  { name: "dry-run", value: null, help: "Check and say what would be done" },
  { name: "json", value: null, help: "Print one JSON document on standard output" },
  HELP,
];

/**
 * The help of a command that runs experiments.
 *
 * @param usage how it is called
 * @param experiment the experiment whose parameters it takes; `null` when none is named
 * @param options the parameters that the usage has in another place
 * @returns the text
 */
export async function helpToRun(
  usage: string,
  experiment: string | null,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<string> {
  const parts = [`Usage: deno task lab ${usage}`];
  if (experiment !== null) {
    const description = await describe(experiment, { onStderr: say });
    const params = description.params.filter(({ name }) => !without.includes(name));
    parts.push(experimentHelp({ ...description, params }));
  }
  return [...parts, `Options:\n${describeOptions(OPTIONS)}`].join("\n\n");
}

/** What a command makes of the experiment that it runs. */
export interface RunExperimentOptions {
  /** What is said of the run, for people. */
  readonly tell: (run: StoredRun) => string;
  /** Whether that names the run's warnings: they are not said as they come, then. @default {false} */
  readonly tellsWarnings?: boolean;
  /** Refuses what may not be left to its default. @default {nothing} */
  readonly check?: (given: Readonly<Record<string, unknown>>) => void;
}

/**
 * Runs an experiment as the command line asks: supervised, with progress, and saved.
 *
 * @param experiment its id or URL
 * @param args the arguments behind its name
 * @param options what the command makes of it
 * @returns the exit status
 * @throws {MisuseError} an argument is not accepted
 */
export async function runExperiment(
  experiment: string,
  args: readonly string[],
  { tell, tellsWarnings = false, check }: RunExperimentOptions,
): Promise<number> {
  const description = await describe(experiment, { onStderr: say });
  const { options, words } = parseOptions(args, [...OPTIONS, ...parameterOptions(description)]);
  if (words.length > 0) {
    throw new MisuseError(`Cannot run with ${words.join(" ")}: a parameter is written as --name value`);
  }
  const given = givenParameters(description, options);
  check?.(given);
  const request: RunRequest = {
    experiment,
    params: await readParamFiles(description, given, { folder: workingFolder(), asOptions: true }),
    asOptions: true,
    quick: options.quick === true,
    seed: parseSeed(options.seed as string | undefined),
    label: (options.label as string | undefined) ?? null,
    dataDirectory: dataFolder(options),
    dryRun: options["dry-run"] === true,
  };
  const json = options.json === true;
  if (request.dryRun) return await preview(request, json);
  return await measure(request, json ? { tell: documentOf } : { tell, tellsWarnings });
}

function documentOf(run: StoredRun): string {
  return JSON.stringify(runDocument(run), null, 2);
}

async function preview(request: RunRequest, json: boolean): Promise<number> {
  const plan = await previewRun(request, { onStderr: say });
  print(json ? JSON.stringify(plan, null, 2) : describePlan(plan));
  return 0;
}

async function measure(
  request: RunRequest,
  { tell, tellsWarnings = false }: Pick<RunExperimentOptions, "tell" | "tellsWarnings">,
): Promise<number> {
  using interruption = onInterrupt();
  using bar = new ProgressBar();
  const ended = await startRun(request, {
    signal: interruption.signal,
    onStderr: (line) => bar.say(line),
    onEvent(event) {
      if (event.type === "created") bar.say(describePlan(event.plan));
      if (event.type === "progress") bar.update(event.done, event.total, event.text);
      if (event.type === "warning" && !tellsWarnings) {
        bar.say(`Warning: ${event.warning.message}. ${event.warning.remedy}`);
      }
    },
  });
  bar.stop();
  // Said first: a run whose folder is gone can be described no more.
  if (ended.reason !== null) say(`The run is ${ended.status}: ${ended.reason}`);
  print(tell(await readRun(ended.path)));
  return exitStatus(ended.status, interruption.signal.aborted);
}

/**
 * The exit status for a run.
 *
 * @param status how it ended
 * @param interrupted whether it was told to end, which may have been too late
 * @returns 0, 1 or 130
 */
export function exitStatus(status: RunStatus, interrupted: boolean): number {
  if (status === "complete") return 0;
  return status === "incomplete" && interrupted ? 130 : 1;
}
