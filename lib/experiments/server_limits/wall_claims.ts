import { type Claim, claim, type Judgement, type RowOf, type RunView } from "../../record/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import type { RunTables } from "./mode.ts";
import type { ModeName, Values } from "./params.ts";
import { PLATEAU_TOLERANCE as TOLERANCE } from "./plateau.ts";
import type { Tables } from "./tables.ts";
import { type Curve, curvesOf, isComputed, type Rate } from "./throughput_metrics.ts";
import { countedAtServer, type WallView, wallViews } from "./wall_metrics.ts";

/** Near 1. */
const [NEAR_LOW, NEAR_HIGH] = [0.8, 1.25];

/** What a server says, or the runtime for it, that ends for want of descriptors. Source: errno(3), EMFILE and ENFILE. */
const OUT_OF_DESCRIPTORS = /too many open files|EMFILE|ENFILE|no file descriptors/i;

/** The claims that the modes `throughput` and `client-wall` are held against. */
export const wallClaims: readonly Claim<Values>[] = [
  claim<Values>(
    "B4",
    '20,000 wanted, 16,312 held, the rest "cannot assign requested address", the server untroubled',
    (run) =>
      inMode(run, "client-wall", (tables) => whyGivenUp(tables, /ports$/) ?? judgePorts(wallViews(tables))),
  ),
  claim<Values>(
    "B5",
    "A small descriptor budget on either side shows which side ran out",
    (run) =>
      inMode(
        run,
        "client-wall",
        (tables) => whyGivenUp(tables, /-descriptors/) ?? judgeDescriptors(wallViews(tables)),
      ),
  ),
  claim<Values>(
    "B6",
    "148,338 requests/s static, 123 computing (p50 393 ms at 50 connections): processor-bound",
    (run) => inMode(run, "throughput", (tables) => judgeComputing(curvesOf(tables))),
  ),
];

function inMode(run: RunView<Values>, mode: ModeName, judge: (tables: RunTables) => Judgement): Judgement {
  if (run.values.mode !== mode) return notMeasured(`Measured by --mode ${mode}`);
  return judge(run.tables as unknown as RunTables);
}

/** An arm that has no outcome leaves its claim open. */
function whyGivenUp({ arms }: RunTables, wanted: RegExp): Judgement | null {
  const given = ([...arms.rows()] as RowOf<Tables["arms"]>[])
    .find(({ variant, givenUp }) => givenUp !== null && wanted.test(variant!));
  return given === undefined ? null : notMeasured(`${given.variant}: ${given.givenUp}`);
}

/** Every failure is the client's ports', and the server has as many connections as were opened. */
function judgePorts(views: readonly WallView[]): Judgement {
  const found = views.find(({ wall }) => wall === "client ports");
  if (found === undefined) return notMeasured("No arm ran out of ports: leave out --server-fds");
  const { view, gaveOut, cells } = found;
  const { asked, opened } = view.arm as { asked: number; opened: number };
  const counted = countedAtServer(view);
  if (counted.value === null) return notMeasured(`The server's count is not known: ${counted.reason}`);
  const words = `${opened} of ${asked} connections over ${cells.ports} ports`;
  const [side, ...others] = gaveOut;
  if (side === undefined) return differs(opened, `${words}: nothing gave out`);
  if (side.side !== "client ports" || others.length > 0 || side.count !== asked - opened) {
    return differs(opened, `${words}: ${gaveOut.map(({ side, reason }) => `${side}: ${reason}`).join("; ")}`);
  }
  if (counted.value !== opened) {
    return differs(counted.value, `${words}, of which the server has ${counted.value}`);
  }
  return holds(opened, `${words}; all others failed for want of a port, and the server has just as many`);
}

/** Descriptors that are short at the client are told by it; at the server by its end, or by what it does not accept. */
function judgeDescriptors(views: readonly WallView[]): Judgement {
  const [client] = views.filter(({ wall }) => wall === "client descriptors");
  const servers = views.filter(({ wall }) => wall === "server descriptors");
  if (client === undefined || servers.length === 0) {
    return notMeasured("Both sides were not measured: leave out --server-command");
  }
  const wrong = views.filter(({ wall, gaveOut }) =>
    wall.endsWith("descriptors") && !isToldApart(wall, gaveOut)
  );
  const told = servers.length + 1 - wrong.length;
  if (wrong.length > 0) {
    const [{ view, gaveOut }] = wrong as [WallView];
    const seen = gaveOut.map(({ side, reason }) => `${side}: ${reason}`).join("; ") || "nothing gave out";
    return differs(told, `${view.arm.variant}: ${seen}`);
  }
  const words = servers.map(({ view, gaveOut }) => `${view.arm.subject}: ${gaveOut[0]!.reason}`);
  return holds(told, [`client: ${client.gaveOut[0]!.reason}`, ...words].join("; "));
}

function isToldApart(wall: WallView["wall"], gaveOut: WallView["gaveOut"]): boolean {
  const [first, ...others] = gaveOut;
  if (first === undefined || others.length > 0) return false;
  if (wall === "client descriptors") return first.side === "client descriptors";
  return first.side === "server" &&
    (OUT_OF_DESCRIPTORS.test(first.reason) || /no descriptor left/.test(first.reason));
}

/** With as many connections as workers the rate is all that there will be, and each more of them only waits. */
function judgeComputing(curves: readonly Curve[]): Judgement {
  const curve = curves.find(({ path, workers }) => isComputed(path) && workers === 1);
  if (curve === undefined) {
    return notMeasured("Nothing was computed by one worker: leave out --path and --target");
  }
  const rates = curve.rates.filter(({ connections }) => connections >= curve.workers!);
  if (rates.length < 2) {
    return notMeasured("One number of connections tells nothing: give more --connections");
  }
  const failed = rates.find(({ load }) => load.failures.length > 0);
  if (failed !== undefined) return notMeasured(`${failed.load.variant}: requests failed`);
  const crowded = rates.find(({ isCrowded }) => isCrowded);
  if (crowded !== undefined) {
    return notMeasured(
      `${crowded.load.variant}: other programs had the processors too: end them first`,
    );
  }
  const unknown = rates.find(({ aloneRate }) => aloneRate === null);
  if (unknown !== undefined) {
    return notMeasured(`${unknown.load.variant}: nothing was answered right before: lower --difficulty`);
  }
  const offBy = rates.map(({ ratePerSecond, aloneRate }) => Math.abs(ratePerSecond / aloneRate! - 1));
  const [{ load: { variant }, connections: fewest, aloneRate }] = rates as [Rate];
  if (fewest === curve.workers && offBy[0]! > TOLERANCE) {
    return notMeasured(
      `${variant}: ${Math.round(rates[0]!.ratePerSecond)} per second, and ${
        Math.round(aloneRate!)
      } right before: ` +
        "the processor is not equally fast at all times",
    );
  }
  const spread = Math.max(...offBy);
  const last = rates.at(-1)!;
  const { connections, ratePerSecond, medianMs } = last;
  const waiting = ratePerSecond * (medianMs ?? NaN) / 1000 / connections;
  const fixed = curves.find(({ path, workers }) => path === "static" && workers === 1)?.rates.at(-1);
  const words = `${Math.round(ratePerSecond)} per second at ${connections} connections, p50 ` +
    `${medianMs?.toFixed(1)} ms: rate x p50 is ${(waiting * connections).toFixed(1)}; with any number of ` +
    `connections the rate is within ${(spread * 100).toFixed(1)} % of that with one, right before` +
    (fixed === undefined ? "" : `; static ${Math.round(fixed.ratePerSecond)} per second`);
  const isBound = spread <= TOLERANCE && waiting >= NEAR_LOW && waiting <= NEAR_HIGH;
  return isBound
    ? holds(ratePerSecond, words, { unit: "1/s" })
    : differs(ratePerSecond, words, { unit: "1/s" });
}
