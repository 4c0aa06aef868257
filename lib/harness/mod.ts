/**
 * Runs experiments in processes of their own: a supervisor that checks, stores and ends everything,
 * servers, and a process that does nothing but measure.
 *
 * @module
 */
export { inspectMachine, type MachineReport } from "./inspect.ts";
export { CONFIG_PATH, LAB_PATH, serverNames, serverScript } from "./layout.ts";
export { measureHere, type MeasureHereOptions, type Measurement } from "./measure_here.ts";
export { describeEnd, Program, type ProgramEnd, type ProgramOptions } from "./program.ts";
export type { Plan, RunRequest, SupervisorEvent } from "./protocol.ts";
export { SERVER_RIGHTS } from "./rights.ts";
export { type EndedRun, previewRun, type StartOptions, startRun } from "./start.ts";
// The other end of a Program: what the program itself listens and speaks with.
export {
  announce,
  type AnnounceOptions,
  type EndReason,
  Lifeline,
  type LifelineOptions,
} from "../system/mod.ts";
