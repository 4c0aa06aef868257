import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";

/** What source A states about one shared client against a new one per request. */
export const claims: readonly Claim[] = [
  claim(
    "A1",
    "500 requests with a new client each: 500 connections, and 500 more sockets in TIME_WAIT",
    judgeNewConnections,
  ),
  claim("A2", "One shared client: 1 connection, and 65 ms against 118 ms", judgeSharedConnection),
];

interface Round {
  readonly variant: string;
  readonly round: number;
  readonly requests: number;
  readonly failed: number;
  readonly connections: number | null;
  readonly connectionsReason: string | null;
  readonly timeWaitClient: number | null;
  readonly timeWaitServer: number | null;
  readonly timeWaitReason: string | null;
}

/** Judges the rounds of one mode one after another: the first judgement that is not `holds` stands. */
function judgeRounds(
  run: RunView,
  mode: "new" | "shared",
  judge: (round: Round, where: string) => Judgement | null,
): Judgement | null {
  const rows = [...run.tables.rounds!.rows()] as unknown as Round[];
  const rounds = rows.filter(({ variant }) => variant.endsWith(`/${mode}`));
  if (rounds.length === 0) return notMeasured("No round was completed");
  for (const round of rounds) {
    const where = `${round.variant}, round ${round.round}`;
    if (round.failed > 0) return notMeasured(`${where}: ${round.failed} requests failed`);
    const judgement = judge(round, where);
    if (judgement !== null) return judgement;
  }
  return null;
}

/** Per round: connections = requests; TIME_WAIT on the side that closed first = connections, 0 on the other. */
function judgeNewConnections(run: RunView): Judgement {
  let counted = 0;
  const judgement = judgeRounds(run, "new", (round, where) => {
    const { requests, connections, timeWaitClient, timeWaitServer } = round;
    if (connections === null) return notMeasured(`${where}: ${round.connectionsReason}`);
    if (connections !== requests) {
      return differs(connections, `${where}: ${connections} connections for ${requests} requests`);
    }
    if (timeWaitClient === null || timeWaitServer === null) {
      return notMeasured(`${where}: ${round.timeWaitReason}`);
    }
    const [first, other] = [
      Math.max(timeWaitClient, timeWaitServer),
      Math.min(timeWaitClient, timeWaitServer),
    ];
    counted = connections;
    if (first === connections && other === 0) return null;
    return differs(
      first,
      `${where}: ${timeWaitClient} sockets added at the client and ${timeWaitServer} at the server`,
    );
  });
  return judgement ?? holds(counted, "As many of both as requests, in every round");
}

/** Per round: 1 connection; elapsed ratio new/shared greater than 1, judged on the lower end of its interval. */
function judgeSharedConnection(run: RunView): Judgement {
  const judgement = judgeRounds(run, "shared", ({ connections, connectionsReason }, where) => {
    if (connections === null) return notMeasured(`${where}: ${connectionsReason}`);
    return connections === 1 ? null : differs(connections, `${where}: ${connections} connections`);
  });
  if (judgement !== null) return judgement;
  const ratios = run.summary.filter(({ name }) => name === "elapsedRatio");
  for (const { variant, value, low, high, reason } of ratios) {
    if (value === null) return notMeasured(`${variant}: ${reason}`);
    if (low === null || high === null) {
      return notMeasured(`${variant}: an interval needs at least 5 rounds (--rounds 5)`);
    }
    const interval = `${low.toFixed(2)} to ${high.toFixed(2)}`;
    if (high <= 1) return differs(value, `${variant}: the ratio's interval is ${interval}`);
    if (low <= 1) {
      return notMeasured(
        `${variant}: the ratio's interval, ${interval}, includes 1: more requests or rounds tell`,
      );
    }
  }
  const seen = ratios.map(({ variant, value }) => `${variant} ${value!.toFixed(2)}`);
  const which = seen.length === 1 ? "the ratio of the means" : "the smaller ratio of the means";
  const least = Math.min(...ratios.map(({ value }) => value!));
  return holds(
    least,
    `The kept connection is faster: measured is ${which}, ${seen.join(" and ")}; stated 1.8`,
  );
}
