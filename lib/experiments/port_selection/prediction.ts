import type { Arm } from "./plan.ts";
import { isChosenByConnect } from "./strategies.ts";
import { bindWalk, ConnectWalk, Ports, type Walked } from "./walk.ts";
import { windowIn } from "./window.ts";

/** What an arm would come to if the system chose ports as the model does. */
export interface Prediction {
  /** The ports tried for each connect, in order. */
  readonly tries: Float64Array;
  /** The port of each; `NaN` where none is free. */
  readonly ports: Float64Array;
}

/** What {@linkcode predict} is told. */
export interface PredictionOptions {
  /** Whether the kernel is Linux 6.8 or later. */
  readonly mixesParities: boolean;
  /** Random numbers in [0, 1). */
  readonly random: () => number;
}

/** Chooses the next port of one source. */
type Chooser = (ports: Ports) => Walked;

/**
 * How many ports are tried for each connect of an arm, as the range fills: by the kernel's walk, or by the program's
 * own choice. Those of an arm with several threads are in the order of one.
 *
 * @param arm the arm
 * @param options the kernel, and random numbers
 * @returns the prediction; `null` for UDP, whose ports are not walked over
 */
export function predict(arm: Arm, options: PredictionOptions): Prediction | null {
  const sources = Array.from({ length: arm.sources }, () => ({
    ports: new Ports(arm.range),
    choose: chooserOf(arm, options),
  }));
  const [tries, found] = [new Float64Array(arm.connects), new Float64Array(arm.connects)];
  for (let order = 0; order < arm.connects; order++) {
    const { ports, choose } = sources[order % arm.sources]!;
    if (choose === null) return null;
    const { port, tried } = choose(ports);
    if (port !== null) ports.take(port);
    tries[order] = tried;
    found[order] = port ?? NaN;
  }
  return { tries, ports: found };
}

function chooserOf(arm: Arm, { mixesParities, random }: PredictionOptions): Chooser | null {
  const { strategy, range } = arm;
  if (isChosenByConnect(strategy)) {
    const walk = new ConnectWalk({ hash: Math.floor(random() * 2 ** 32), mixesParities, random });
    if (strategy === "full-range") return (ports) => walk.next(ports, range);
    if (arm.windowPorts === null) return (ports) => walk.next(ports);
    const size = arm.windowPorts;
    return (ports) => walk.next(ports, windowIn(range, size, random));
  }
  if (strategy === "bind-first") return (ports) => bindWalk(ports, random);
  if (strategy === "select-test-repeat") return (ports) => selectPort(ports, random);
  return null;
}

/** A random port, and another one as long as it is taken. */
function selectPort(ports: Ports, random: () => number): Walked {
  const { low, high } = ports.range;
  if (ports.freeLike(0) + ports.freeLike(1) === 0) return { port: null, tried: 0 };
  for (let tried = 1;; tried++) {
    const port = low + Math.floor(random() * (high - low + 1));
    if (!ports.isTaken(port)) return { port, tried };
  }
}
