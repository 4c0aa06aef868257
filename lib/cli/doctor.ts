import { inspectMachine, type MachineReport } from "../harness/mod.ts";
import type { Environment } from "../record/mod.ts";
import { gridText, numberText } from "../render/mod.ts";
import { reuseDelayMs } from "../system/mod.ts";
import type { Command } from "./command.ts";
import { budgetsOf, type BudgetsOptions, budgetsText, limitRows } from "./limit_rows.ts";
import { describeOptions, HELP, noWords, type Option, parseOptions } from "./options.ts";
import { print } from "./output.ts";

const OPTIONS: readonly Option[] = [
  { name: "json", value: null, help: "Print one JSON document on standard output" },
  HELP,
];

/** `lab doctor`. */
export const command: Command = {
  help: () => `Usage: deno task lab doctor\n\nOptions:\n${describeOptions(OPTIONS)}`,

  async run(args) {
    const { options, words } = parseOptions(args, OPTIONS);
    noWords(words, "doctor");
    const report = await inspectMachine();
    const settings: BudgetsOptions = { reuseDelayMs: reuseDelayMs() };
    if (options.json === true) {
      print(JSON.stringify({ ...report, budgets: budgetsOf(report.environment.network, settings) }, null, 2));
    } else {
      print([
        gridText(factGrid(report.environment)),
        gridText(limitGrid(report.environment, settings)),
        [socketTableText(report.socketTable), namespacesText(report.namespaces)].join("\n"),
      ].join("\n\n"));
    }
    return 0;
  },
};

/** Every fact that limits no connection with its path; a fact that could not be read with the reason. */
function factGrid(environment: Environment) {
  const { reasons, source: _source, network: _network, limits: _limits, ...groups } = environment;
  const rows = Object.entries(groups).flatMap(([group, facts]) =>
    typeof facts === "object" && facts !== null
      ? Object.entries(facts).map(([name, value]) => fact(`${group}.${name}`, value, reasons))
      : [fact(group, facts, reasons)]
  );
  return { caption: "This machine", head: ["fact", "value"], rows, numeric: [], notes: [] };
}

function limitGrid(environment: Environment, settings: BudgetsOptions) {
  const text = budgetsText(budgetsOf(environment.network, settings));
  return {
    caption: "What it allows",
    head: ["limit", "value", "what that allows"],
    rows: limitRows(environment, settings),
    numeric: [],
    notes: text === null ? [] : [text],
  };
}

function fact(path: string, value: unknown, reasons: Environment["reasons"]): string[] {
  if (value === null) return [path, `not known: ${reasons[path]}`];
  if (typeof value === "number") return [path, numberText(value)];
  return [path, Array.isArray(value) ? value.join(" to ") : String(value)];
}

function socketTableText({ available, reason }: MachineReport["socketTable"]): string {
  return available
    ? "The socket table can be read: TIME_WAIT and connections are counted."
    : `The socket table cannot be read, so TIME_WAIT is not counted: ${reason}`;
}

function namespacesText({ available, reason, remedy }: MachineReport["namespaces"]): string {
  return available
    ? "A run can have a network of its own, with its own ports and settings."
    : `A run cannot have a network of its own, as ${reason}. ${remedy}`;
}
