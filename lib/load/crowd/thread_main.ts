/**
 * A thread that opens a shard's connections and holds them, so that nobody else has to wait for it.
 *
 * @module
 */
import { monotonicMs, pause } from "../../system/mod.ts";
import type { Numbered, Reply } from "../calls.ts";
import type { CrowdPlan } from "../crowd_plan.ts";
import { firstOf, type LoadClient, type Shard, shareOf } from "../plan.ts";
import type { CrowdHolder, HolderJob } from "./holder.ts";
import { Ledger } from "./ledger.ts";
import type { CrowdQuestion } from "./thread_protocol.ts";

/** How often it tells how far it is, in milliseconds. */
const PROGRESS_MS = 100;

/** Whatever holds the connections, of which no other need be loaded. */
const HOLDERS: Readonly<Record<LoadClient, (job: HolderJob) => Promise<CrowdHolder>>> = {
  epoll: async (job) => new (await import("./epoll_holder.ts")).EpollHolder(job),
  raw: async (job) => new (await import("./raw_holder.ts")).RawHolder(job),
  fetch: async (job) => new (await import("./fetch_holder.ts")).FetchHolder(job),
};

const scope = self as unknown as {
  onmessage: (event: MessageEvent<Numbered<CrowdQuestion>>) => void;
  postMessage(reply: Reply): void;
};

let holder: Promise<CrowdHolder>;

scope.onmessage = ({ data }) => {
  const { id } = data;
  answer(data).then(
    (answer) => scope.postMessage({ id, answer }),
    (error) => scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) }),
  );
};

async function answer(question: Numbered<CrowdQuestion>): Promise<unknown> {
  switch (question.ask) {
    case "open":
      return await open(question.id, question.plan, question.shard);
    case "counts":
      return (await holder).ledger.counts;
    case "rows":
      return (await holder).ledger.rows();
    case "close":
      return await (await holder).close();
  }
}

async function open(id: number, plan: CrowdPlan, { index, count, startMs, targets }: Shard): Promise<void> {
  const connections = shareOf(plan.connections, index, count);
  const first = firstOf(plan.connections, index, count);
  const clock = plan.client === "epoll" ? monotonicMs : () => performance.now();
  let zeroMs = clock() + startMs - sinceEpochMs();
  const now = () => clock() - zeroMs;
  holder = HOLDERS[plan.client]({
    plan,
    burst: Math.max(1, shareOf(plan.burst, index, count)),
    targets: targets.map((_, place) => targets[(first + place) % targets.length]!),
    ledger: new Ledger(connections, { shard: index, seesEnds: plan.client !== "fetch" }),
    now,
  });
  const opener = await holder;
  if (startMs === 0) zeroMs = clock();
  await pause(Math.max(0, -now()));
  const telling = setInterval(
    () => scope.postMessage({ id, progress: opener.ledger.counts }),
    PROGRESS_MS,
  );
  try {
    await opener.open();
  } finally {
    clearInterval(telling);
  }
}

function sinceEpochMs(): number {
  return performance.timeOrigin + performance.now();
}
