import {
  ColumnTable,
  judge,
  type Metric,
  resolveParams,
  type Row,
  type RunView,
  type TableData,
} from "../../record/mod.ts";
import { randomSource } from "../../stats/mod.ts";
import experiment from "./mod.ts";
import { params } from "./params.ts";
import { type Arm, armsOf } from "./plan.ts";
import { predict } from "./prediction.ts";
import { tables } from "./tables.ts";

/** Changes a row of a table, or leaves it out. */
export type Change = (row: Row) => Row | null;

/** What a connect takes beside its walk, and what each port tried adds: in milliseconds. */
export const [BASE_MS, TRY_MS] = [0.013, 0.000_04];

/** A run: its parameters, its kernel, and what is changed in its tables. */
export interface Made {
  readonly given?: Record<string, unknown>;
  readonly kernel?: string;
  readonly connects?: Change;
  readonly arms?: Change;
}

/** The tables of a run in which everything goes as the model has it, then changed. */
function runTables({ given = {}, kernel = "6.18.44", connects = keep, arms = keep }: Made = {}) {
  const random = randomSource(11);
  const made = {
    connects: new ColumnTable("connects", tables.connects),
    arms: new ColumnTable("arms", tables.arms),
  };
  const mixesParities = !kernel.startsWith("6.7");
  for (const arm of armsOf(resolveParams(params, { ports: 4000, ...given }).values)) {
    const { variant, strategy, range, windowPorts, family, sources, threads } = arm;
    const { tries, ports } = predict(arm, { mixesParities, random }) ?? udpPorts(arm);
    for (let order = 0; order < arm.connects; order++) {
      const [tried, port] = [tries[order]!, ports[order]!];
      const isFound = !Number.isNaN(port);
      // A scheduler's noise, the same for both parities.
      const connectMs = (BASE_MS + TRY_MS * tried) * (1 + 0.1 * random());
      add(made.connects, connects, {
        ...{ variant, order, connectMs, port: isFound ? port : null },
        parity: isFound ? (port % 2 === 0 ? "even" : "odd") : null,
        attempts: strategy === "select-test-repeat" ? tried : 1,
        result: isFound ? "ok" : "local-ports-exhausted",
      });
    }
    add(made.arms, arms, {
      ...{
        variant,
        strategy,
        low: range.low,
        ports: range.high - range.low + 1,
        windowPorts,
        family,
        sources,
      },
      ...{ threads, connects: arm.connects, elapsedMs: 500, reason: null },
    });
  }
  return made;
}

const keep: Change = (row) => row;

function add(table: ColumnTable, change: Change, row: Row): void {
  const changed = change(row);
  if (changed !== null) table.add(changed);
}

/** With SO_REUSEADDR every second port is given twice. */
function udpPorts({ strategy, range, connects }: Arm) {
  const places = Float64Array.from({ length: connects }, (_, order) => range.low + order);
  const shared = places.map((port) => port - port % 4 % 2);
  return { tries: new Float64Array(connects), ports: strategy === "udp" ? places : shared };
}

/** The run as claims and figures see it. */
export function view(made: Made = {}): RunView {
  const built: Record<string, TableData> = runTables(made);
  const summary: readonly Metric[] = experiment.summarize(built, {}, 1);
  const { values, json } = resolveParams(params, { ports: 4000, ...made.given });
  const environment = { system: { os: "linux", kernel: made.kernel ?? "6.18.44", arch: "x86_64" } };
  return {
    ...{ id: "port-selection/x", status: "complete", seed: 1, summary, claims: [], warnings: [] },
    ...{ environment: environment as unknown as RunView["environment"], tables: built },
    ...{ params: json, values: values as unknown as RunView["values"], value: () => null },
  };
}

/** Each claim with its verdict. */
export function verdicts(run: RunView): string[] {
  return judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
}

/** The verdict on one claim, with its reason. */
export function verdict(run: RunView, id: string): string {
  const { verdict, reason } = judge(experiment.claims!, run).find((claim) => claim.id === id)!;
  return `${verdict}: ${reason}`;
}

/** A metric of one arm. */
export function value({ summary }: RunView, name: string, variant: string): number | null {
  return summary.find((metric) => metric.name === name && metric.variant === variant)!.value;
}

/** Connects of one arm changed, the others as they are. */
export function of(variant: string, change: Change): Change {
  return (row) => row.variant === variant ? change(row) : row;
}
