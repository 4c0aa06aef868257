import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { findMismatchIn } from "./accounts.ts";
import { describeCount } from "./bound.ts";
import { type CellRow, cellsOf, chainOf } from "./cell.ts";
import { judgeChain } from "./chain.ts";
import { seconds } from "./chain_rows.ts";
import { chainsIn, CLIENTS, limitsIn } from "./grid.ts";
import { KNOWN_CHAINS } from "./known_chains.ts";
import { verdictOf } from "./measured_verdict.ts";
import { isPair } from "./outcome.ts";
import type { Values } from "./params.ts";
import { AT_LIMIT_MS, NODE_BUFFER_MS } from "./pauses.ts";

type Run = RunView<Values>;

/** What source A states about idle limits that do not fit. */
export const claims: readonly Claim<Values>[] = [
  claim(
    "A8",
    "A middlebox with a shorter idle limit closes silently: the first request on the pooled connection fails with a reset",
    counted(judgeFirstReuse),
  ),
  claim(
    "A9",
    "The client's idle timeout must be shorter than that of every component on the way",
    counted(judgeVerdicts),
  ),
  claim(
    "A10",
    "Keep-alive 5 s at the server, 30 s at the client, 10 s between requests: nothing fails, nothing is retried, " +
      "each request gets a new connection",
    counted(judgeLateRequest),
  ),
];

/** A rule that is applied only to a run whose counts add up. */
function counted(rule: (run: Run) => Judgement): (run: Run) => Judgement {
  return (run) => {
    const mismatch = findMismatchIn(run.tables);
    return mismatch === null ? rule(run) : notMeasured(`The counts of both ends do not add up: ${mismatch}`);
  };
}

function pairsOf({ tables }: Run): CellRow[] {
  return cellsOf(tables).filter(({ outcome }) => isPair(outcome));
}

/** Fails on the first reuse beyond the middlebox's limit and within the client's; never when it is shorter. */
function judgeFirstReuse(run: Run): Judgement {
  const { middleboxIdle, clientIdle, serverIdle } = limitsIn(run.values);
  const { forget } = run.values;
  if (middleboxIdle === null) {
    return notMeasured("There was no middlebox: give it a limit (--middlebox-idle)");
  }
  if (forget !== "reset") {
    const did = forget === "fin" ? "closed in order" : "swallowed what came";
    return notMeasured(`The middlebox ${did}, and the claim is about a reset (--forget reset)`);
  }
  if (serverIdle !== null && serverIdle <= middleboxIdle) {
    return notMeasured("The server's limit was not longer than the middlebox's (--server-idle)");
  }
  const pairs = pairsOf(run).filter(({ variant }) => variant!.startsWith("middlebox/raw/never/"));
  const shorter = pairs.filter(({ idleMs }) => idleMs! < middleboxIdle - AT_LIMIT_MS);
  const longer = pairs.filter(({ idleMs }) =>
    idleMs! > middleboxIdle + AT_LIMIT_MS && idleMs! < clientIdle - AT_LIMIT_MS
  );
  if (shorter.length === 0 || longer.length === 0) {
    return notMeasured("There must be pauses on both sides of the middlebox's limit (--pauses)");
  }
  const early = shorter.filter(({ failureKind }) => failureKind !== null);
  if (early.length > 0) {
    return differs(
      early.length,
      `${early.length} of ${shorter.length} requests failed after a shorter pause`,
    );
  }
  const failed = longer.filter(({ failureKind }) => failureKind !== null);
  if (failed.length < longer.length) {
    return differs(
      failed.length,
      `${failed.length} of ${longer.length} requests failed after a longer pause`,
    );
  }
  const other = failed.find(({ failureKind }) => failureKind !== "reset");
  if (other !== undefined) {
    return differs(
      failed.length,
      `Each of ${failed.length} failed after a longer pause, but as ${other.failureKind}`,
    );
  }
  return holds(
    failed.length,
    `Each of ${failed.length} requests after a longer pause failed with a reset, ` +
      `${describeCount(0, shorter.length)} after a shorter one; a client without retry`,
  );
}

/** The verdict from the limits alone equals what was measured, with the same hop to blame. */
function judgeVerdicts(run: Run): Judgement {
  const pairs = pairsOf(run);
  const seen: string[] = [];
  for (const chain of chainsIn(run.values)) {
    const expected = judgeChain(chain);
    const { verdict, unsafeHop, reason } = verdictOf(chain, pairs);
    if (verdict === null) return notMeasured(`${chain.name}: ${reason}`);
    if (verdict !== expected.verdict || unsafeHop !== expected.unsafeHop) {
      return differs(
        seen.length,
        `${seen.length} chains were as their limits say before ${chain.name}: ${expected.verdict} by its limits ` +
          `(${expected.unsafeHop ?? "no hop"}), measured ${verdict} (${unsafeHop ?? "no hop"}): ${reason}`,
      );
    }
    seen.push(`${chain.name} ${verdict}${unsafeHop === null ? "" : ` at the ${unsafeHop}`}`);
  }
  const field = Map.groupBy(KNOWN_CHAINS, (chain) => judgeChain(chain).verdict);
  const counts = [...field].map(([verdict, chains]) => `${chains.length} ${verdict}`).join(", ");
  return holds(
    seen.length,
    `All ${seen.length} chains were measured as their limits say: ${
      seen.join(", ")
    }. Of chains known from the ` +
      `field, from data alone: ${counts}`,
  );
}

/** What every client met, by method, when the pause lay between the server's limit and the client's. */
function judgeLateRequest(run: Run): Judgement {
  const { serverIdle, clientIdle } = limitsIn(run.values);
  if (serverIdle === null) return notMeasured("The server has no idle limit (--stack node)");
  const closedMs = serverIdle + NODE_BUFFER_MS;
  const late = pairsOf(run).filter((cell) =>
    chainOf(cell) === "direct" && cell.idleMs! > closedMs + AT_LIMIT_MS &&
    cell.idleMs! < clientIdle - AT_LIMIT_MS
  );
  const longest = Math.max(...late.map(({ pauseMs }) => pauseMs!));
  const judged = late.filter(({ pauseMs }) => pauseMs === longest);
  const met: { readonly variant: string; readonly fate: string }[] = [];
  for (const client of CLIENTS) {
    for (const method of ["GET", "POST"]) {
      const rows = judged.filter(({ variant }) => variant === `direct/${client}/${method}`);
      if (rows.length === 0) {
        return notMeasured(
          `There must be a pause between ${seconds(closedMs)}, when the server closes, and the client's ` +
            `${seconds(clientIdle)} (--pauses, --longest-pause)`,
        );
      }
      met.push({ variant: `${client} ${method}`, fate: describeFate(rows) });
    }
  }
  const anew = judged.filter(({ outcome, retried }) => outcome === "new connection" && retried === 0).length;
  return (anew === judged.length ? holds : differs)(
    anew,
    `${anew} of ${judged.length} requests were answered on a new connection at the first attempt (server ` +
      `${seconds(serverIdle)}, client ${seconds(clientIdle)}, pause ${seconds(longest)}). ${
        describeMet(met)
      }`,
  );
}

/** Variants that met the same are named together. */
function describeMet(met: readonly { readonly variant: string; readonly fate: string }[]): string {
  return [...Map.groupBy(met, ({ fate }) => fate)].map(([fate, same]) => {
    const names = same.map(({ variant }) => variant).join(", ");
    return `${same.length === met.length ? `All ${met.length} variants` : names}: ${fate}`;
  }).join("; ");
}

function describeFate(rows: readonly CellRow[]): string {
  const outcomes = [...Map.groupBy(rows, ({ outcome }) => outcome!)]
    .map(([outcome, { length }]) => `${outcome}, ${length} of ${rows.length}`);
  const total = (column: "received" | "retried") => rows.reduce((sum, row) => sum + row[column]!, 0);
  const [received, retried] = [total("received"), total("retried")];
  return [
    ...outcomes,
    ...received === rows.length ? [] : [`received ${received} times`],
    retried === 0 ? "not retried" : `retried ${retried} times`,
  ].join(", ");
}
