import { type Claim, claim, type Judgement, type RowOf, type RunView } from "../../record/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { rangeText, secondsText } from "../_shared/time_text.ts";
import { type ArmView, armViews, failuresOf, lastSum, lostText, pollsOf, type Sum } from "./arm_view.ts";
import { armSides } from "./evidence.ts";
import { AT_ONCE } from "./idle.ts";
import { memoryLine, memorySizes } from "./memory.ts";
import type { RunTables } from "./mode.ts";
import type { ModeName, Values } from "./params.ts";
import { reclaimedAfterMs } from "./reclaimed.ts";
import { SLOWLORIS_ARMS } from "./slowloris.ts";
import type { Tables } from "./tables.ts";

const STATED_BYTES = 10 * 1024;

/** Of the same order of magnitude: nearer to the number than to ten times it, or a tenth, on a logarithmic scale. */
const ORDER = Math.sqrt(10);

/** How much later than it looks for them a server may take connections back, in milliseconds: timers are late. */
const LATE_MS = 250;

/** How much sooner than its time, in milliseconds: the server counts from when the connection came. */
const EARLY_MS = 100;

/** The claims that the modes idle, slow and slowloris are held against. */
export const claims: readonly Claim<Values>[] = [
  claim<Values>(
    "B1",
    "10,000 idle connections: active = n + 1, in flight = 1 (the poll), about 10 KiB each at the server",
    (run) => inMode(run, "idle", judgeIdle),
  ),
  claim<Values>(
    "B2",
    "500 slow requests: in flight 501, the poll among them",
    (run) => inMode(run, "slow", judgeSlow),
  ),
  claim<Values>(
    "B3",
    "200 half-sent headers: none is reclaimed without a header timeout, all about 3 s after opening with one of 3 s",
    (run) => inMode(run, "slowloris", judgeSlowloris),
  ),
  claim<Values>(
    "B8",
    "A pool cannot hold n connections open: of 20,000 pooled GETs it held about 8,700",
    (run) => inMode(run, "idle", judgePool),
  ),
  claim<Values>(
    "B9",
    "Every timeout of the standard server is off by default",
    (run) => inMode(run, "slowloris", judgeDefaults),
  ),
];

function inMode(
  run: RunView<Values>,
  mode: ModeName,
  judge: (views: readonly ArmView[], run: RunView<Values>) => Judgement,
): Judgement {
  if (run.values.mode !== mode) return notMeasured(`Measured by --mode ${mode}`);
  return judge(armViews(run.tables as unknown as RunTables), run);
}

/** Why the counts of an arm are no counts of what was asked for; `null` when they are. */
function whyNotAll(view: ArmView): string | null {
  const { asked, opened, lostShards, serverEnd, givenUp } = view.arm;
  if (givenUp !== null) return givenUp;
  if (serverEnd !== null) return `The server ended: ${serverEnd}`;
  if (lostShards! > 0) return lostText(lostShards!);
  if (opened === asked) return null;
  const gaveOut = armSides(view);
  const failures = failuresOf(view, gaveOut).map(({ kind, side, count }) => `${count} ${kind} (${side})`);
  // A failure that tells its side by itself needs no more words.
  const isTold = !view.connections.side.includes("unknown");
  const sides = isTold ? "" : gaveOut.map(({ side, reason }) => `; ${side}: ${reason}`).join("");
  return [`Of ${asked} connections ${opened} were opened`, ...failures].join(", ") + sides;
}

function judgeIdle(views: readonly ArmView[]): Judgement {
  const view = views.find(({ arm }) => arm.client !== "fetch");
  if (view === undefined) {
    return notMeasured("fetch opens as many as it likes: measured by --client epoll or raw");
  }
  const why = whyNotAll(view);
  if (why !== null) return notMeasured(why);
  const { asked, subject } = view.arm;
  const polls = pollsOf(view);
  if (polls === 0) return notMeasured(`${subject} does not tell its counts`);
  const [active, inFlight, kernel] = (["active", "inFlight", "atServer"] as const).map((column) =>
    lastSum(view, "held", column)
  ) as [Sum, Sum, Sum];
  const counts = `active ${active.value ?? `not told (${active.reason})`}, in flight ${inFlight.value}, ` +
    `${kernel.value ?? "unknown"} in the kernel's table, for ${asked} connections and ${pollsText(polls)}`;
  const isExact = inFlight.value === polls && (kernel.value === null || kernel.value === asked) &&
    (active.value === null ? kernel.value !== null : active.value === asked! + polls);
  if (!isExact) return differs(active.value ?? kernel.value ?? 0, counts);
  const line = memoryLine(memorySizes(view));
  if (line === null) return notMeasured(`${counts}; memory is known at fewer than three sizes`);
  const { slope, low, high } = line;
  const bytes = `${Math.round(slope)} bytes each (${Math.round(low!)} to ${Math.round(high!)})`;
  const [least, most] = [STATED_BYTES / ORDER, STATED_BYTES * ORDER];
  const options = { unit: "By" } as const;
  if (low! >= least && high! <= most) return holds(slope, `${counts}; ${bytes}`, options);
  if (high! < least || low! > most) return differs(slope, `${counts}; ${bytes}`, options);
  return notMeasured(
    `${counts}; memory leaves open whether it is of the order of 10 KiB: ${bytes}. More --connections tell`,
  );
}

/** Each server counts the connection that asks it, and its request, too. */
function pollsText(polls: number): string {
  return `${polls} of the lab that ask${polls === 1 ? "s" : ""} for /stats, one more for each server`;
}

function judgeSlow(views: readonly ArmView[]): Judgement {
  const [view] = views;
  if (view === undefined) return notMeasured("The run has no arm");
  const why = whyNotAll(view);
  if (why !== null) return notMeasured(why);
  const { asked, failed } = view.arm;
  const { value, reason } = lastSum(view, "held", "inFlight");
  if (value === null) return notMeasured(reason!);
  const polls = pollsOf(view);
  const { status } = view.connections;
  const answered = status.filter((code) => code === 200).length;
  const told = `in flight ${value} for ${asked} requests and ${
    pollsText(polls)
  }; then ${answered} were answered`;
  return value === asked! + polls && failed === 0 ? holds(value, told) : differs(value, told);
}

function judgeSlowloris(views: readonly ArmView[]): Judgement {
  const arm = (variant: string) => views.find((view) => view.arm.variant === variant);
  const { off: offName, silent: silentName, dripping: drippingName } = SLOWLORIS_ARMS;
  const [off, silent, dripping] = [arm(offName), arm(silentName), arm(drippingName)];
  if (off === undefined) return notMeasured("The lab's own server was not measured");
  for (const view of [off, silent, dripping]) {
    const why = view === undefined ? null : whyNotAll(view);
    if (why !== null) return notMeasured(`${view!.arm.variant}: ${why}`);
  }
  const without = reclaimedAfterMs(off).length;
  const watched = secondsText(off.arm.watchedMs!);
  const told = `without a header timeout ${without} of ${off.arm.asked} were reclaimed within ${watched}`;
  if (without > 0) return differs(without, told);
  if (silent === undefined) {
    const how = off.arm.subject === "deno" ? "Deno.serve has none: --stack node" : "--header-timeout 3s";
    return notMeasured(`${told}; with one it was not measured: ${how}`);
  }
  const times = reclaimedAfterMs(silent);
  const { asked, headerTimeoutMs, checkingMs } = silent.arm;
  const configured = `configured ${secondsText(headerTimeoutMs!)}, looked for every ${
    secondsText(checkingMs ?? 0)
  }`;
  if (times.length !== asked) {
    return differs(times.length, `${told}; with one ${times.length} of ${asked} were (${configured})`);
  }
  const isInTime = times[0]! >= headerTimeoutMs! - EARLY_MS &&
    times.at(-1)! <= headerTimeoutMs! + (checkingMs ?? 0) + LATE_MS;
  const all = `${told}; with one all were, after ${rangeText(times)} (${configured})${
    dripText(dripping, silent)
  }`;
  const options = { unit: "ms" } as const;
  return isInTime ? holds(times.at(-1)!, all, options) : differs(times.at(-1)!, all, options);
}

/** Whether bytes move the deadline. */
function dripText(dripping: ArmView | undefined, silent: ArmView): string {
  if (dripping === undefined) return "";
  const times = reclaimedAfterMs(dripping);
  const every = `a byte every ${secondsText(dripping.arm.dripMs!)}`;
  if (times.length === 0) return `; ${every} moved the deadline: none was reclaimed`;
  const last = reclaimedAfterMs(silent).at(-1)!;
  const moved = times[0]! > last + dripping.arm.dripMs!;
  return `; ${every} ${moved ? "moved" : "did not move"} the deadline: ${times.length} were after ${
    rangeText(times)
  }`;
}

function judgePool(views: readonly ArmView[]): Judgement {
  const sockets = views.find(({ arm }) => arm.client !== "fetch");
  const pool = views.find(({ arm }) => arm.client === "fetch" && arm.variant !== AT_ONCE);
  if (pool === undefined || sockets === undefined) {
    return notMeasured("Beside fetch, sockets are measured by --client epoll or raw");
  }
  const { givenUp, serverEnd } = pool.arm;
  const why = givenUp ?? (serverEnd === null ? whyNotAll(sockets) : `The server ended: ${serverEnd}`);
  if (why !== null) return notMeasured(why);
  const atOnce = views.find(({ arm }) => arm.variant === AT_ONCE);
  const [held, exact] = [pool, sockets].map((view) => lastSum(view, "held", "atClient")) as [Sum, Sum];
  if (held.value === null || exact.value === null) return notMeasured((held.reason ?? exact.reason)!);
  if (exact.value !== sockets.arm.asked) {
    return notMeasured(`The server held only ${exact.value} of ${sockets.arm.asked}, without a pool too`);
  }
  const { asked, burst } = pool.arm;
  const more = atOnce === undefined ? null : lastSum(atOnce, "held", "atClient").value;
  const told = [
    `of ${asked} wanted ${sockets.arm.client} held ${exact.value}`,
    `fetch ${held.value}, with ${burst} requests on their way at a time`,
    ...more === null ? [] : [`and ${more} with all of them on their way before the first answer`],
  ].join(", ");
  return held.value < asked!
    ? holds(
      held.value,
      `${told}: a pool holds as many connections as requests are on their way at once, not as many as requests`,
    )
    : differs(held.value, told);
}

function judgeDefaults([view]: readonly ArmView[], { tables }: RunView<Values>): Judgement {
  if (view === undefined) return notMeasured("The run has no arm");
  const { subject } = view.arm;
  const rows = [...tables.defaults!.rows()] as RowOf<Tables["defaults"]>[];
  const texts = [...Map.groupBy(rows, (row) => row.stack!)].map(([name, rows]) =>
    `${name}: ${defaultsText(rows)}`
  );
  const own = rows.filter((row) => row.stack === subject);
  if (own.length === 0) return notMeasured(`The defaults of ${subject} are not in the run`);
  const limits = Map.groupBy(own, ({ setting, limit }) => setting ?? limit);
  const on = [...limits.values()].filter((rows) => rows.some(isOn)).length;
  const known = own.filter(({ isOff, heldMs }) => isOff !== null || heldMs !== null).length;
  const told = texts.join("; ");
  if (on > 0) return differs(on, `${on} of ${limits.size} are on. ${told}`);
  return known === own.length ? holds(0, told) : notMeasured(told);
}

function isOn({ isOff, closedMs }: RowOf<Tables["defaults"]>): boolean {
  return isOff === false || closedMs !== null;
}

function defaultsText(rows: readonly RowOf<Tables["defaults"]>[]): string {
  const on = rows.filter(isOn).map(({ limit, setting, exposedMs, closedMs }) =>
    setting === null
      ? `${limit}: closed after ${secondsText(closedMs!)}`
      : `${setting} ${secondsText(exposedMs!)}`
  );
  if (on.length > 0) return [...new Set(on)].join(", ");
  const held = rows.flatMap(({ heldMs }) => heldMs ?? []);
  return held.length === 0
    ? "all off"
    : `exposes none, and closed no connection within ${secondsText(Math.min(...held))}`;
}
