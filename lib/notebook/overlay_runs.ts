import { overlay } from "../figures/mod.ts";
import type { Figure, ParamJson } from "../record/mod.ts";
import type { Run } from "./run.ts";

/**
 * The same figure of several runs in one. Its subtitle says which parameters differ.
 *
 * @param runs the runs, of one version of one experiment
 * @param figure the figure's name
 * @returns the figure
 * @throws {RangeError} they are not runs of one version of one experiment, one is named twice, or the figure
 * cannot be drawn or overlaid
 */
export function overlayRuns(runs: readonly Run[], figure: string): Figure {
  refuseUnlike(runs);
  const names = layerNames(runs);
  const layers = runs.map((run, index) => ({ name: names[index]!, figure: run.figure(figure) }));
  return overlay(layers, { subtitle: differences(runs, names) });
}

function refuseUnlike(runs: readonly Run[]): void {
  const twice = runs.find(({ id }, index) => runs.findIndex((run) => run.id === id) < index);
  if (twice) throw new RangeError(`Cannot overlay runs as ${twice.id} is among them twice`);
  const ids = new Set(runs.map(({ experiment }) => experiment.id));
  if (ids.size > 1) {
    throw new RangeError(`Cannot overlay runs of different experiments: there are ${[...ids].join(" and ")}`);
  }
  if (new Set(runs.map(({ experiment }) => experiment.version)).size > 1) {
    const versions = runs.map(({ id, experiment }) => `${id} is of version ${experiment.version}`);
    throw new RangeError(
      `Cannot overlay runs of different versions, whose rows may mean different things: ${
        versions.join(", ")
      }`,
    );
  }
}

/** What the person called each run, where that tells them apart; else their ids. */
function layerNames(runs: readonly Run[]): string[] {
  const labels = runs.map(({ label }) => label || null);
  return runs.map(({ id }, index) => {
    const label = labels[index] ?? null;
    const isUnique = label !== null && labels.filter((other) => other === label).length === 1;
    return isUnique ? label : id.slice(id.indexOf("/") + 1);
  });
}

function shown(value: ParamJson | undefined): string {
  if (value === null || value === undefined || value === "") return "none";
  return Array.isArray(value) ? value.join(", ") : `${value}`;
}

function differences(runs: readonly Run[], names: readonly string[]): string {
  const params = [...new Set(runs.flatMap((run) => Object.keys(run.params)))];
  const told = params.flatMap((param) => {
    const values = runs.map((run) => shown(run.params[param]));
    if (new Set(values).size === 1) return [];
    return [`${param}: ${values.map((value, index) => `${value} in ${names[index]}`).join(", ")}`];
  });
  return told.join(" · ") || "The same parameters in all runs";
}
