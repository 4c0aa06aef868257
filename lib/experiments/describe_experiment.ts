import type { Param, ParamJson, ParamSchema } from "../record/mod.ts";
import { loadExperiment } from "./registry.ts";

/** What a person is told of a parameter, as JSON. */
export interface ParamDescription {
  /** Its name in a cell. */
  readonly name: string;
  /** The builder that made it. */
  readonly kind: Param<unknown>["kind"];
  /** What it means, in one line. */
  readonly help: string;
  /** What may be given. */
  readonly accepts: string;
  /** The value when none is given. */
  readonly default: ParamJson;
  /** The value for a quick look, where that is another. */
  readonly quick?: ParamJson;
}

/** What a person is told of an experiment before it runs, as JSON: its code need not be loaded for it. */
export interface ExperimentDescription {
  /** Its id. */
  readonly id: string;
  /** A few words. */
  readonly title: string;
  /** The question that it answers. */
  readonly question: string;
  /** Its parameters, in order. */
  readonly params: readonly ParamDescription[];
}

/**
 * Loads an experiment and describes it.
 *
 * @param name an id, or the absolute URL of a file with an experiment as its default export
 * @returns what a person is told of it
 * @throws {MisuseError} there is no such experiment, its file cannot be loaded, or exports none
 */
export async function describeExperiment(name: string): Promise<ExperimentDescription> {
  const { id, title, question, params } = (await loadExperiment(name)).experiment;
  return { id, title, question, params: Object.entries(params as ParamSchema).map(describeParam) };
}

function describeParam([name, param]: [string, Param<unknown>]): ParamDescription {
  const { kind, help, accepts } = param;
  const quick = param.quick === undefined ? {} : { quick: param.format(param.quick) };
  return { name, kind, help, accepts, default: param.format(param.default), ...quick };
}
