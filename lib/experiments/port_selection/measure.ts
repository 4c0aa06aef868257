import type { Warning } from "../../record/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { type CellOutcome, measureArm } from "./cell.ts";
import { Holders } from "./holders.ts";
import { parityOf } from "./parity.ts";
import type { Values } from "./params.ts";
import { type Arm, armsOf } from "./plan.ts";
import type { Tables } from "./tables.ts";

/** What every result of this experiment has to say of itself. */
const LOOPBACK: Warning = {
  code: "loopback",
  message:
    "Connections go over loopback, so that a connect() takes microseconds: to a server at a distance it " +
    "takes a round trip more, and the time of the search for a port is added to that",
  remedy: "Compare the differences between arms, not their ratios, with what a connection of yours takes",
};

/** Steps of the clock that a row keeps, in a millisecond: 0.1 µs. */
const STEPS_PER_MS = 10_000;

/**
 * Fills the private range of ports by every strategy, each in a network of its own.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const arms = armsOf(params);
  context.warn(LOOPBACK);
  using holders = new Holders(context.servers);
  for (const [done, arm] of arms.entries()) {
    if (context.signal.aborted) return;
    context.progress(done, arms.length, arm.variant);
    const { random, signal } = context;
    const { value } = await context.timed(() => measureArm(arm, { random, signal, holders }));
    emitArm(arm, value, context);
  }
  context.progress(arms.length, arms.length, "done");
}

function emitArm(
  arm: Arm,
  { filled, elapsedMs, reason }: CellOutcome,
  context: MeasureContext<Tables>,
): void {
  const { variant, strategy, range: { low, high }, windowPorts, family, sources, threads, connects } = arm;
  for (const [place, order] of filled.order.entries()) {
    const [port, connectMs] = [filled.port[place]!, filled.connectMs[place]!];
    context.emit("connects", {
      variant,
      order,
      port: port === 0 ? null : port,
      parity: port === 0 ? null : parityOf(port),
      connectMs: Number.isNaN(connectMs) ? null : Math.round(connectMs * STEPS_PER_MS) / STEPS_PER_MS,
      attempts: filled.attempts[place]!,
      result: filled.result[place]!,
    });
  }
  context.emit("arms", {
    ...{ variant, strategy, low, ports: high - low + 1, windowPorts, family, sources, threads, connects },
    ...{ elapsedMs, reason },
  });
  if (reason === null) return;
  context.warn({
    code: `${variant}-not-measured`,
    message: `${variant} was not measured: ${reason}`,
    remedy: "Measure on a system that has it",
  });
}
