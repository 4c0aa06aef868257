/**
 * The laboratory in a notebook: `lab` measures and loads, `show` shows.
 *
 * @module
 */
export {
  type DataOptions,
  type Lab,
  lab,
  type LabLoadOptions,
  type LabRunOptions,
  type ProbeOptions,
  type ReadyOptions,
  type SavedRun,
} from "./lab.ts";
export type { MeasureHereOptions, Measurement } from "../harness/mod.ts";
export type { Edition } from "../render/mod.ts";
export { Run } from "./run.ts";
export type { SavableFigure } from "./savable_figure.ts";
export { show, type Showable } from "./show.ts";
