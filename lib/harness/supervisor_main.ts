/**
 * The supervisor of one run: takes a request on standard input and tells what happens on standard
 * output.
 *
 * @module
 */
import { describeExperiment } from "../experiments/mod.ts";
import { answer } from "./answer.ts";
import { endingLeftBehind } from "./left_behind.ts";
import type { DescribeRequest, SuperviseRequest, SupervisorEvent } from "./protocol.ts";
import { supervise } from "./supervisor.ts";

await answer<SuperviseRequest | DescribeRequest, SupervisorEvent>(async (request, { signal, emit, next }) => {
  if ("describe" in request) {
    return emit({ type: "described", description: await describeExperiment(request.experiment) });
  }
  const drawSeed = () => crypto.getRandomValues(new Uint32Array(1))[0]!;
  const settled = async () => {
    emit({ type: "settle" });
    await next();
  };
  await endingLeftBehind(() => supervise(request, { signal, emit, drawSeed, settled }));
});
