/**
 * Runs experiments in processes of their own: a supervisor that checks, stores and ends everything,
 * servers, and a process that does nothing but measure.
 *
 * @module
 */
export { answer, type AnswerOptions, type Desk } from "./answer.ts";
export { inspectMachine, type MachineReport } from "./inspect.ts";
export { CONFIG_PATH, LAB_PATH, serverNames, serverScript } from "./layout.ts";
export { measureHere, type MeasureHereOptions, type Measurement } from "./measure_here.ts";
export { type ParamFilesOptions, readParamFiles } from "./param_files.ts";
export { describeEnd, Program, type ProgramEnd, type ProgramOptions } from "./program.ts";
export type { DescribeRequest, Plan, RunRequest, SupervisorEvent } from "./protocol.ts";
export { type RecordedWork, recordHere } from "./record_here.ts";
export { type Refusal, toError } from "./refusal.ts";
export { allow, serverRights } from "./rights.ts";
export { describe, type EndedRun, previewRun, type StartOptions, startRun } from "./start.ts";
