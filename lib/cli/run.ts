import { type Experiment, loadExperiment, locateExperiment } from "../experiments/mod.ts";
import { previewRun, type RunRequest, startRun } from "../harness/mod.ts";
import { MisuseError, resolveParams } from "../record/mod.ts";
import { readRun } from "../store/mod.ts";
import type { Command } from "./command.ts";
import { DATA, dataFolder } from "./data_option.ts";
import { onInterrupt } from "./interrupt.ts";
import { describeOptions, HELP, type Option, parseOptions } from "./options.ts";
import {
  describeExperiment,
  givenParameters,
  optionName,
  parameterOptions,
  parseSeed,
} from "./parameters.ts";
import { ProgressBar } from "./progress.ts";
import { describePlan, describeRun, runDocument } from "./run_text.ts";
import { workingFolderUrl } from "./working_folder.ts";

const OPTIONS: readonly Option[] = [
  DATA,
  { name: "seed", value: "N", help: "Seed of every random choice (default: drawn and recorded)" },
  { name: "label", value: "TEXT", help: "What you call this run" },
  { name: "quick", value: null, help: "A quick look: each parameter's quick value" },
  { name: "dry-run", value: null, help: "Check and say what would be done" },
  { name: "json", value: null, help: "Print one JSON document on standard output" },
  HELP,
];

/** `lab run`. */
export const command: Command = {
  async help(args) {
    const usage = "Usage: deno task lab run EXPERIMENT|FILE [--param value …]";
    const name = args.find((arg) => !arg.startsWith("-"));
    const experiment = name === undefined ? null : await load(name);
    const parts = [
      usage,
      experiment && describeExperiment(experiment),
      `Options:\n${describeOptions(OPTIONS)}`,
    ];
    return parts.filter((part) => part !== null).join("\n\n");
  },

  async run(args) {
    const name = args[0];
    if (name === undefined || name.startsWith("-")) {
      throw new MisuseError(
        "Cannot run without an experiment: write its name right behind run; lab list names them",
      );
    }
    const experiment = await load(name);
    const { options, words } = parseOptions(args.slice(1), [
      ...OPTIONS,
      ...parameterOptions(experiment.params),
    ]);
    if (words.length > 0) {
      throw new MisuseError(`Cannot run with ${words.join(" ")}: a parameter is written as --name value`);
    }
    const quick = options.quick === true;
    const spell = (parameter: string) => `--${optionName(parameter)}`;
    const given = givenParameters(experiment.params, options);
    const request: RunRequest = {
      experiment: locate(name),
      params: resolveParams(experiment.params, given, { quick, spell }).json,
      quick,
      seed: parseSeed(options.seed as string | undefined),
      label: (options.label as string | undefined) ?? null,
      dataDirectory: dataFolder(options),
      dryRun: options["dry-run"] === true,
    };
    const json = options.json === true;
    return request.dryRun ? await preview(request, json) : await measure(request, json);
  },
};

async function preview(request: RunRequest, json: boolean): Promise<number> {
  const plan = await previewRun(request);
  console.log(json ? JSON.stringify(plan, null, 2) : describePlan(plan));
  return 0;
}

async function measure(request: RunRequest, json: boolean): Promise<number> {
  using interruption = onInterrupt();
  using bar = new ProgressBar();
  const ended = await startRun(request, {
    signal: interruption.signal,
    onStderr: (line) => bar.say(line),
    onEvent(event) {
      if (event.type === "created") bar.say(describePlan(event.plan));
      if (event.type === "progress") bar.update(event.done, event.total, event.text);
      if (event.type === "warning") bar.say(`Warning: ${event.warning.message}. ${event.warning.remedy}`);
    },
  });
  bar.stop();
  const run = await readRun(ended.path);
  console.log(json ? JSON.stringify(runDocument(run), null, 2) : describeRun(run));
  if (ended.reason !== null) console.error(`The run is ${ended.status}: ${ended.reason}`);
  if (interruption.signal.aborted) return 130;
  return ended.status === "complete" ? 0 : 1;
}

function locate(name: string): string {
  return locateExperiment(name, workingFolderUrl());
}

async function load(name: string): Promise<Experiment> {
  return (await loadExperiment(locate(name))).experiment;
}
