import type { RunRequest } from "./protocol.ts";

/** What a test asks for: a run of an experiment as it is, changed. */
export function requestFor(experiment: string, more: Partial<RunRequest> = {}): RunRequest {
  return {
    ...{
      experiment,
      params: {},
      quick: false,
      seed: 1,
      label: null,
      dataDirectory: "/nowhere",
      dryRun: false,
    },
    ...more,
  };
}
