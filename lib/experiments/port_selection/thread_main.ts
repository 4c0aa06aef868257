/**
 * A thread that fills its part of an arm's range together with others. It begins in the network of the thread that
 * started it, makes everything ready, and then waits until all are.
 *
 * @module
 */
import { randomSource } from "../../stats/mod.ts";
import { FillLoop } from "./fill_loop.ts";
import { FLAG, type ThreadOrder, type ThreadReport } from "./threads.ts";

/** Connects between two looks at whether the run is to stop, and the time that they may take. */
const CHUNK = { count: 64, ms: 50 } as const;

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ThreadOrder>) => void) | null;
  postMessage(report: ThreadReport | null): void;
};

scope.onmessage = ({ data: { arm, seed, first, flags } }) => {
  const loop = new FillLoop(arm, { random: randomSource(seed), first, stride: arm.threads });
  const cells = new Int32Array(flags);
  Atomics.add(cells, FLAG.ready, 1);
  Atomics.notify(cells, FLAG.ready);
  Atomics.wait(cells, FLAG.go, 0);
  const startMs = performance.timeOrigin + performance.now();
  while (!loop.isDone && Atomics.load(cells, FLAG.stop) === 0) loop.run(CHUNK.count, CHUNK.ms);
  const endMs = performance.timeOrigin + performance.now();
  scope.postMessage({ filled: loop.filled, isDone: loop.isDone, startMs, endMs });
  Atomics.wait(cells, FLAG.end, 0);
  // A descriptor belongs to the process, and would outlive this thread.
  loop[Symbol.dispose]();
  scope.postMessage(null);
};
