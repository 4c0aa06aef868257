/**
 * A thread of the origin: it serves a site of its own at ports that it shares with other threads.
 *
 * @module
 */
import { CannotRunHereError } from "../../lib/record/mod.ts";
import { serve } from "./serve.ts";
import type { Site } from "./site.ts";
import type { ThreadNews, ThreadOrder } from "./threads.ts";
import type { ThreadReport } from "./stats.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ThreadOrder>) => void) | null;
  postMessage(news: ThreadNews): void;
};

let site: Site | null = null;

/** The requests that wait for what every thread has counted, in the order in which they came. */
const asking: ((reports: readonly ThreadReport[]) => void)[] = [];

function gather(): Promise<readonly ThreadReport[]> {
  const { promise, resolve } = Promise.withResolvers<readonly ThreadReport[]>();
  asking.push(resolve);
  scope.postMessage({ kind: "gather" });
  return promise;
}

async function begin({ flags, identity, ports }: Extract<ThreadOrder, { kind: "serve" }>): Promise<void> {
  try {
    const serving = await serve(flags, { identity, ports, gather });
    site = serving.site;
    scope.postMessage({ kind: "listening", ports: serving.ports });
  } catch (error) {
    if (!(error instanceof CannotRunHereError)) throw error;
    scope.postMessage({ kind: "refused", problem: error.problem, remedy: error.remedy });
  }
}

scope.onmessage = ({ data: order }) => {
  if (order.kind === "serve") begin(order);
  else if (order.kind === "report") scope.postMessage({ kind: "report", report: site!.report() });
  else asking.shift()!(order.reports);
};
