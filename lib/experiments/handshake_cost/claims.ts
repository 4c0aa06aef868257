import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";

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
  readonly connections: number | null;
  readonly connectionsReason: string | null;
  readonly timeWaitClient: number | null;
  readonly timeWaitServer: number | null;
  readonly timeWaitReason: string | null;
}

function roundsOf(run: RunView, mode: "new" | "shared"): Round[] {
  const rows = [...run.tables.rounds!.rows()] as unknown as Round[];
  return rows.filter(({ variant }) => variant.endsWith(`/${mode}`));
}

/** Per round: connections = requests; TIME_WAIT on the side that closed first = connections, 0 on the other. */
function judgeNewConnections(run: RunView): Judgement {
  const rounds = roundsOf(run, "new");
  for (const { variant, round, requests, connections, timeWaitClient, timeWaitServer, ...why } of rounds) {
    const where = `${variant}, round ${round}`;
    if (connections === null || timeWaitClient === null || timeWaitServer === null) {
      const reason = `${where}: ${why.connectionsReason ?? why.timeWaitReason}`;
      return { verdict: "not measured", measured: null, unit: null, reason };
    }
    if (connections !== requests) {
      return differs(connections, `${where}: ${connections} connections for ${requests} requests`);
    }
    const [first, other] = [
      Math.max(timeWaitClient, timeWaitServer),
      Math.min(timeWaitClient, timeWaitServer),
    ];
    if (first === connections && other === 0) continue;
    const counted = `${where}: ${timeWaitClient} added at the client and ${timeWaitServer} at the server`;
    const reuse = run.environment?.network.tcpTwReuse;
    if (run.params.target === null || reuse === 0) return differs(first, counted);
    const reason =
      `${counted}; the system may use a socket in TIME_WAIT again (tcp_tw_reuse is ${reuse ?? "unknown"}), ` +
      "so that later rounds to one port undercount";
    return { verdict: "not applicable here", measured: first, unit: "1", reason };
  }
  return { verdict: "holds", measured: rounds[0]?.connections ?? null, unit: "1", reason: null };
}

/** Per round: 1 connection; elapsed ratio new/shared greater than 1, judged on the lower end of its interval. */
function judgeSharedConnection(run: RunView): Judgement {
  for (const { variant, round, connections, connectionsReason } of roundsOf(run, "shared")) {
    const where = `${variant}, round ${round}`;
    if (connections === null) {
      return {
        verdict: "not measured",
        measured: null,
        unit: null,
        reason: `${where}: ${connectionsReason}`,
      };
    }
    if (connections !== 1) return differs(connections, `${where}: ${connections} connections`);
  }
  const ratios = run.summary.filter(({ name }) => name === "elapsedRatio");
  for (const { variant, value, low, reason } of ratios) {
    if (value === null || low === null) {
      const why = reason ?? "an interval needs at least 5 rounds (--rounds 5)";
      return {
        verdict: "not measured",
        measured: value,
        unit: value === null ? null : "1",
        reason: `${variant}: ${why}`,
      };
    }
    if (low <= 1) {
      return differs(value, `${variant}: the lower end of the ratio's interval is ${low.toFixed(2)}`);
    }
  }
  const least = Math.min(...ratios.map(({ value }) => value!));
  return { verdict: "holds", measured: least, unit: "1", reason: "The smallest elapsed ratio; stated 1.8" };
}

function differs(measured: number, reason: string): Judgement {
  return { verdict: "differs", measured, unit: "1", reason };
}
