/**
 * The program that runs notebooks: takes a {@linkcode RunnerSpec} on standard input and tells what happens
 * on standard output. `stop`, or the end of the input, interrupts: what was executed is saved.
 *
 * @module
 */
import { answer } from "../harness/mod.ts";
import type { NotebookEvent, RunnerSpec } from "./headless/protocol.ts";
import { runJobs } from "./headless/runner.ts";

await answer<RunnerSpec, NotebookEvent>((spec, { signal, emit }) => runJobs(spec, { signal, emit }));
