import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";
import { summary } from "../../stats/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { type ArmRows, connected } from "./arm_rows.ts";
import { type AttemptsAtUse, attemptsAtUse } from "./attempts.ts";
import { findArm, missingArm, onArm, plainOver, whyNotWhole } from "./judged_arm.ts";
import { isKernelFrom, LOCAL_RANGE_SINCE, MIXED_PARITY_SINCE, PARITY_SINCE } from "./kernel.ts";
import { compareParities, parityOf } from "./parity.ts";
import { portsInDoubleUse, slowShareOf, stepOf } from "./summarize.ts";
import { STATED_PORTS, STATED_WINDOWS, windowPorts } from "./window.ts";

/** What source C states about connect() when ports run low, and the kernels that each statement is about. */
export const claims: readonly Claim[] = [
  claim(
    "C1",
    "One source address: even ports in 0.025 ms, odd ones in 4.59 ms on average (Linux 4.2 and later)",
    (run) => onArm(run, plainOver("ipv4", run), PARITY_SINCE, judgeStep),
  ),
  claim(
    "C2",
    "70,000 connections over 56,512 ports: two source addresses leave about 20,000 slow, one over 40,000 " +
      "(Linux 4.2 and later)",
    (run) => onArm(run, "plain", PARITY_SINCE, (arm) => judgeSources(run, arm)),
  ),
  claim(
    "C3",
    "Select, test, repeat: fine to 70 to 80 % use, then 8 to 12 attempts per connection (every kernel)",
    (run) => onArm(run, "select-test-repeat", null, judgeAttempts),
  ),
  claim(
    "C4",
    "Windows of 500, 1,000, 5,000 and 10,000 of 56,512 ports: 868, 1,129, 4,037 and 6,695 errors, and 30,139, " +
      "27,260, 8,405 and 3,183 attempts a second (errors: Linux 6.3 and later; rates: before 6.8)",
    (run) => onArm(run, "window", LOCAL_RANGE_SINCE, () => judgeWindows(run)),
  ),
  claim(
    "C5",
    "IP_LOCAL_PORT_RANGE over the whole range: 0.029 ms on both parities, no errors (Linux 6.8 and later)",
    (run) => onArm(run, "full-range", MIXED_PARITY_SINCE, judgeFullRange),
  ),
  claim(
    "C6",
    "UDP: 0.001 ms on both parities (every kernel)",
    (run) => onArm(run, "udp", null, judgeUdp),
  ),
  claim(
    "C7",
    "UDP with SO_REUSEADDR skips the check that a port is unique (every kernel)",
    (run) => onArm(run, "udp-reuse", null, (arm) => judgeDoubleUse(run, arm)),
  ),
  claim(
    "C8",
    "The fast parity is that of the low port, for bind() the other; both swap with it (Linux 4.2 and later)",
    (run) => onArm(run, "plain", PARITY_SINCE, (arm) => judgeFastParity(run, arm)),
  ),
  claim(
    "C9",
    "A window as large as the range behaves like the default (Linux 6.3 to 6.7), one of a single port like " +
      "select, test, repeat (Linux 6.3 and later)",
    (run) => onArm(run, "full-range", LOCAL_RANGE_SINCE, (arm) => judgeLimits(run, arm)),
  ),
  claim(
    "C10",
    "IPv6 behaves largely alike (Linux 4.2 and later)",
    (run) => onArm(run, plainOver("ipv6", run), PARITY_SINCE, judgeStep),
  ),
];

/** Where a step has to be, and how far off it may be. */
const [STEP_AT, STEP_TOLERANCE] = [0.5, 0.02];

/** How much slower the slow parity has to be at the least. */
const LEAST_RATIO = 3;

/** In a smaller range the walk takes about as long as the rest of a connect(): noise decides whether it tells. */
const LEAST_PORTS = 2000;

/** The last part of the range, as a share, of which is told what its ports take. */
const LAST_PART = 0.02;

/** What is near 1: between its reciprocal and this. */
const NEAR_ONE = 1.25;

/** How far a share may be from what is predicted. */
const SHARE_TOLERANCE = 0.05;

/** The parts of the range in which the attempts of one's own choice are looked at. */
const [WIDE_PART, NARROW_PART] = [0.05, 0.02];

const countText = (count: number) => Math.round(count).toLocaleString("en");
const countTexts = (counts: readonly number[]) => counts.map(countText).join(", ");

/** Slow/fast parity ratio, of the means, at least 3, and a step at 0.5 ± 0.02 of the range. */
function judgeStep(arm: ArmRows): Judgement {
  const parities = compareParities(arm);
  if (parities === null) return notMeasured("All ports have one parity: fill more of the range");
  const step = stepOf(arm);
  const { ratio, ratioP50 } = parities;
  const place = step === null ? "there is no step" : `the step is at ${step.atShare.toFixed(3)} of the range`;
  const reason =
    `One parity takes ${ratio.toFixed(1)} times as long in the mean (${ratioP50.toFixed(1)} times ` +
    `in the median), and ${place}`;
  const isThere = step !== null && Math.abs(step.atShare - STEP_AT) <= STEP_TOLERANCE;
  if (isThere && ratio >= LEAST_RATIO) return holds(ratio, reason);
  const ports = arm.range.high - arm.range.low + 1;
  const isSmall = ports < LEAST_PORTS;
  const walk = isThere || isSmall
    ? `; the walk that makes it slow is as long as half of ${countText(ports)} ports`
    : "";
  return differs(ratio, reason + walk + (isSmall ? `: give --ports ${LEAST_PORTS} or more` : ""));
}

/** At equal n: slow share for s addresses = max(0, n/s − range/2) ÷ (n/s), ± 0.05. */
function judgeSources(run: RunView, base: ArmRows): Judgement {
  const other = findArm(
    run,
    ({ strategy, family, sources }) =>
      strategy === "plain" && family === base.family && sources !== base.sources,
  );
  if (other === undefined) return missingArm("plain/sources");
  const why = whyNotWhole(other);
  if (why !== null) return why;
  const step = stepOf(base);
  if (step === null) return differs(0, `${base.variant} has no step, so that no connect is a slow one`);
  const [one, two] = base.sources === 1 ? [base, other] : [other, base];
  const equal = one.connects;
  const shares = [[one, equal], [two, equal], [two, two.connects]].map(([arm, count]) => {
    const { sources, range } = arm as ArmRows;
    const perSource = (count as number) / sources;
    const half = (range.high - range.low + 1) / 2;
    return {
      measured: slowShareOf(arm as ArmRows, step.betweenMs, count as number),
      predicted: Math.max(0, perSource - half) / perSource,
      text: `${countText(count as number)} connections from ${sources === 1 ? "1 source" : "2 sources"}`,
    };
  });
  const reason = "Slow share, and predicted: " +
    shares.map(({ text, measured, predicted }) => `${text}: ${measured.toFixed(3)}, ${predicted.toFixed(3)}`)
      .join("; ");
  const measured = shares[1]!.measured;
  return shares.every(({ measured, predicted }) => Math.abs(measured - predicted) <= SHARE_TOLERANCE)
    ? holds(measured, reason)
    : differs(measured, reason);
}

/** Near 1 ÷ (1 − use); below 5 up to 0.75; it rises through 8 to 12 between 0.85 and 0.95. */
function judgeAttempts(arm: ArmRows): Judgement {
  const wide = attemptsAtUse(arm, WIDE_PART).filter(({ use }) => use < 0.95);
  const apart = wide.filter((part) => !isNearExpected(part));
  const early = Math.max(...wide.filter(({ use }) => use < 0.75).map(({ attempts }) => attempts));
  const late = attemptsAtUse(arm, NARROW_PART).filter(({ use }) => use > 0.85 && use < 0.95);
  if (late.length === 0) return notMeasured("The range was not filled far enough");
  const [least, most] = [Math.min, Math.max].map((pick) => pick(...late.map(({ attempts }) => attempts))) as [
    number,
    number,
  ];
  const isReached = least <= 12 && most >= 8;
  if (apart.length > 0) {
    const [{ use, attempts, expected }] = apart as [typeof apart[number]];
    return differs(
      attempts,
      `At ${use.toFixed(2)} use ${attempts.toFixed(1)} attempts, and random choice takes ${
        expected.toFixed(1)
      }`,
    );
  }
  const reason =
    `At most ${early.toFixed(1)} attempts up to 0.75 use, ${least.toFixed(1)} to ${most.toFixed(1)} ` +
    "between 0.85 and 0.95; all along within a factor of 1.25, or three standard errors, of 1 ÷ (1 − use)";
  return early < 5 && isReached ? holds(early, reason) : differs(early, reason);
}

/** Near 1 ÷ (1 − use), or no further from it than chance: attempts have a geometric distribution. */
function isNearExpected({ use, connections, attempts, expected }: AttemptsAtUse): boolean {
  const ratio = attempts / expected;
  const standardError = Math.sqrt(use / connections);
  return ratio <= NEAR_ONE && ratio >= 1 / NEAR_ONE || Math.abs(ratio - 1) <= 3 * standardError;
}

/** With windows as shares of the range errors grow in the stated order, and before 6.8 attempts a second fall. */
function judgeWindows(run: RunView): Judgement {
  const ports = run.params.ports as number;
  const arms = STATED_WINDOWS.map((size) =>
    findArm(
      run,
      (arm) => arm.strategy === "window" && arm.threads === 1 && arm.windowPorts === windowPorts(size, ports),
    )
  );
  const measured = arms.filter((arm) => arm !== undefined);
  if (measured.length < arms.length) return missingArm("window/windows");
  const why = measured.map(whyNotWhole).find((judgement) => judgement !== null);
  if (why !== undefined) return why;
  const errors = measured.map(({ results }) => results.filter((result) => result !== "ok").length);
  const rates = measured.map(({ results, elapsedMs }) => results.length / (elapsedMs! / 1000));
  const reason =
    `Windows of ${countTexts(measured.map(({ windowPorts }) => windowPorts!))} of ${
      countText(ports)
    } ports: ` +
    `${countTexts(errors)} errors; ${countTexts(rates)} attempts and ` +
    `${countTexts(rates.map((rate, at) => rate * (1 - errors[at]! / measured[at]!.results.length)))} ` +
    "connections a second";
  const last = errors.at(-1)!;
  const growsNot = errors.findIndex((count, at) => at > 0 && count <= errors[at - 1]!);
  if (growsNot > 0) {
    const remedy = ports < STATED_PORTS
      ? `; small windows are full by chance more often: give --ports ${STATED_PORTS} for the stated sizes`
      : "";
    return differs(last, reason + remedy);
  }
  const isOlder = isKernelFrom(run.environment?.system.kernel ?? null, MIXED_PARITY_SINCE) === false;
  const slowsDown = rates.every((rate, at) => at === 0 || rate < rates[at - 1]!);
  return !isOlder || slowsDown ? holds(last, reason) : differs(last, reason);
}

/** Parity ratio near 1, errors 0. */
function judgeFullRange(arm: ArmRows): Judgement {
  const errors = arm.results.filter((result) => result !== "ok").length;
  return errors > 0
    ? differs(errors, `${countText(errors)} of ${countText(arm.results.length)} connects failed`)
    : judgeAlike(arm, "No failure");
}

/**
 * Parity ratio near 1. Where a mean has a few connects in it that took a hundred times as long, because the thread
 * lost its processor, three in four connects of either parity tell.
 */
function judgeAlike(arm: ArmRows, what: string): Judgement {
  const parities = compareParities(arm);
  if (parities === null) return notMeasured("All ports have one parity");
  const { ratio, ratioP50, ratioP75 } = parities;
  const reason =
    `${what}: the means of the parities differ by a factor of ${ratio.toFixed(2)}, their medians by ` +
    `${ratioP50.toFixed(2)}, their 75th percentiles by ${ratioP75.toFixed(2)}`;
  if (ratio <= NEAR_ONE) return holds(ratio, reason);
  return Math.max(ratioP50, ratioP75) <= NEAR_ONE
    ? holds(
      ratioP50,
      `${reason}; judged by the last two, as fewer than one connect in four makes the means differ`,
    )
    : differs(ratio, reason);
}

/** Parity ratio near 1; beside it what the last ports of the range take, which a ratio of parities does not show. */
function judgeUdp(arm: ArmRows): Judgement {
  const judgement = judgeAlike(arm, "UDP");
  const [last, before] = [true, false].map((isLast) =>
    connected(arm).filter((place) => arm.uses[place]! >= 1 - LAST_PART === isLast)
      .map((place) => arm.connectMs[place]!)
  ) as [number[], number[]];
  if (last.length === 0) return judgement;
  const meanText = (times: number[]) => `${Number(summary(times).mean.toPrecision(2))} ms`;
  const tail = `; the last ${LAST_PART * 100} % of the ports take ${meanText(last)} in the mean` +
    (before.length === 0 ? "" : `, those before ${meanText(before)}`);
  return { ...judgement, reason: judgement.reason + tail };
}

/** Two sockets on one local port, and none without the option. */
function judgeDoubleUse(run: RunView, arm: ArmRows): Judgement {
  const shared = portsInDoubleUse(arm);
  const without = findArm(run, ({ variant }) => variant === "udp");
  const elsewhere = without === undefined || without.reason !== null ? 0 : portsInDoubleUse(without);
  const reason =
    `${countText(shared)} ports were given to more than one socket, with the same peer; without the option ` +
    (without === undefined ? "it was not measured" : countText(elsewhere));
  return shared > 0 && elsewhere === 0 ? holds(shared, reason) : differs(shared, reason);
}

/** Fast parity = parity of the low port; reversed for bind-first; with the low port moved by one, swapped. */
function judgeFastParity(run: RunView, plain: ArmRows): Judgement {
  const isMoved = (arm: ArmRows) => arm.range.low !== plain.range.low;
  const own = (strategy: string) =>
    [false, true].map((moved) => findArm(run, (arm) => arm.strategy === strategy && isMoved(arm) === moved));
  const wanted = [
    ...own("plain").map((arm) => ({ arm, isReversed: false })),
    ...own("bind-first").map((arm) => ({ arm, isReversed: true })),
  ];
  const seen: string[] = [];
  let wrong = 0;
  for (const { arm, isReversed } of wanted) {
    if (arm === undefined) return missingArm(isReversed ? "plain,bind-first/low" : "plain/low");
    const why = whyNotWhole(arm);
    if (why !== null) return why;
    const parities = compareParities(arm);
    if (parities === null) return notMeasured(`${arm.variant}: all ports have one parity`);
    const { fast, ratioP50 } = parities;
    const isApart = ratioP50 > NEAR_ONE;
    if (!isApart || (fast === parityOf(arm.range.low)) === isReversed) wrong++;
    seen.push(
      `${arm.variant} from ${arm.range.low}: ${isApart ? `${fast} ports are fast` : "neither is fast"}`,
    );
  }
  const right = wanted.length - wrong;
  return wrong === 0 ? holds(right, seen.join("; ")) : differs(right, seen.join("; "));
}

/** The share of one's own choices that fall on a port in use, measured and as the use predicts. */
function failedChoices({ results, attempts, uses }: ArmRows): { measured: number; predicted: number } {
  let [all, failed, predicted] = [0, 0, 0];
  for (const [place, result] of results.entries()) {
    all += attempts[place]!;
    failed += attempts[place]! - (result === "ok" ? 1 : 0);
    predicted += attempts[place]! * uses[place]!;
  }
  return { measured: failed / all, predicted: predicted / all };
}

/** A window as large as the range behaves like the default, one of a single port like select, test, repeat. */
function judgeLimits(run: RunView, full: ArmRows): Judgement {
  const plain = findArm(run, ({ variant }) => variant === "plain");
  const single = findArm(run, ({ windowPorts }) => windowPorts === 1);
  const repeat = findArm(run, ({ variant }) => variant === "select-test-repeat");
  if (plain === undefined || repeat === undefined) return missingArm("plain,full-range,select-test-repeat");
  if (single === undefined) return missingArm("window/windows");
  const why = [plain, single, repeat].map(whyNotWhole).find((judgement) => judgement !== null);
  if (why !== undefined) return why;
  const [fullStep, plainStep] = [stepOf(full), stepOf(plain)];
  const choices = [single, repeat].map(failedChoices);
  const text = (step: typeof fullStep) => step === null ? "no step" : `a step at ${step.atShare.toFixed(2)}`;
  const isFullAlike = (fullStep === null) === (plainStep === null);
  const isNewer = isKernelFrom(run.environment?.system.kernel ?? null, MIXED_PARITY_SINCE) === true;
  const expected = !isFullAlike && isNewer
    ? ` (expected, as this kernel is Linux ${MIXED_PARITY_SINCE} or later, and no contradiction to C5)`
    : "";
  const [ofSingle, ofRepeat] = choices.map(({ measured, predicted }) =>
    `${measured.toFixed(2)} (${predicted.toFixed(2)})`
  );
  const isSingleAlike = choices.every(({ measured, predicted }) =>
    Math.abs(measured - predicted) <= SHARE_TOLERANCE
  );
  const reason =
    `The whole range as a window has ${text(fullStep)}, the default ${
      text(plainStep)
    }${expected}; share of ` +
    `failed choices, and of ports in use: window of one port ${ofSingle}, select, test, repeat ${ofRepeat}`;
  const ratio = fullStep?.ratio ?? 1;
  return isFullAlike && isSingleAlike ? holds(ratio, reason) : differs(ratio, reason);
}
