import { assertEquals } from "@std/assert";
import type { CodeCell } from "./nbformat.ts";
import { OutputCollector } from "./outputs.ts";

const newCell = (): CodeCell => ({
  cell_type: "code",
  id: "a",
  metadata: {},
  source: "",
  execution_count: null,
  outputs: [],
});

/** The outputs of a cell for messages of the kernel. */
function collect(...messages: [type: string, content: Record<string, unknown>][]): CodeCell["outputs"] {
  const [collector, cell] = [new OutputCollector(), newCell()];
  collector.begin(cell);
  for (const [type, content] of messages) collector.take({ id: "", type, parentId: null, content });
  collector.end();
  return cell.outputs;
}

const out = (text: string): [string, Record<string, unknown>] => ["stream", { name: "stdout", text }];
const err = (text: string): [string, Record<string, unknown>] => ["stream", { name: "stderr", text }];
const show = (
  text: string,
  id?: string,
  type = "display_data",
): [string, Record<string, unknown>] => [type, {
  data: { "text/plain": text },
  metadata: { m: text },
  transient: id === undefined ? {} : { display_id: id },
}];
const shown = (text: string) => ({
  output_type: "display_data" as const,
  data: { "text/plain": text },
  metadata: { m: text },
});
const stream = (text: string, name: "stdout" | "stderr" = "stdout") => ({
  output_type: "stream" as const,
  name,
  text,
});

Deno.test("a stream goes on until something else comes", () => {
  assertEquals(collect(out("a\n"), out("b"), err("c"), out("d"), show("e"), out("f"), out("g")), [
    stream("a\nb"),
    stream("c", "stderr"),
    stream("d"),
    shown("e"),
    stream("fg"),
  ]);
});

Deno.test("a value has the number of its execution, a display has none", () => {
  assertEquals(
    collect(["execute_result", {
      execution_count: 4,
      data: { "text/plain": "1" },
      metadata: {},
      transient: {},
    }]),
    [{ output_type: "execute_result", data: { "text/plain": "1" }, metadata: {}, execution_count: 4 }],
  );
});

Deno.test("errors come last, in their order", () => {
  const error = (ename: string, traceback: string[]): [string, Record<string, unknown>] => [
    "error",
    { ename, evalue: "v", traceback },
  ];
  assertEquals(collect(error("A", ["a"]), out("x"), error("B", [""])), [
    stream("x"),
    { output_type: "error", ename: "A", evalue: "v", traceback: ["a"] },
    { output_type: "error", ename: "B", evalue: "v", traceback: ["B: v"] },
  ]);
});

Deno.test("an update changes a display wherever it stands, and one of an unknown display nothing", () => {
  const collector = new OutputCollector();
  const [first, second] = [newCell(), newCell()];
  const take = ([type, content]: [string, Record<string, unknown>]) =>
    collector.take({ id: "", type, parentId: null, content });
  collector.begin(first);
  take(show("0 %", "bar"));
  take(show("50 %", "bar", "update_display_data"));
  take(show("?", "none", "update_display_data"));
  collector.end();
  collector.begin(second);
  take(show("again", "bar"));
  take(show("100 %", "bar", "update_display_data"));
  collector.end();
  assertEquals([first.outputs, second.outputs], [[shown("100 %")], [shown("100 %")]]);
});

Deno.test("clear_output clears at once, or with the next output where it is told to wait", () => {
  const clear = (wait: boolean): [string, Record<string, unknown>] => ["clear_output", { wait }];
  assertEquals(collect(out("a"), clear(false), out("b")), [stream("b")]);
  assertEquals(collect(out("a"), clear(true), out("b")), [stream("b")]);
  assertEquals(collect(out("a"), clear(true)), [stream("a")]);
  assertEquals(collect(out("a"), clear(true), show("b"), out("c")), [shown("b"), stream("c")]);
});

Deno.test("messages of other types are passed over", () => {
  assertEquals(collect(["comm_open", { comm_id: "x" }], ["whatever", {}], out("a")), [stream("a")]);
});

Deno.test("an error that the kernel did not publish stands with the others", () => {
  const [collector, cell] = [new OutputCollector(), newCell()];
  collector.begin(cell);
  assertEquals(collector.firstError, null);
  const error = { output_type: "error" as const, ename: "E", evalue: "v", traceback: ["t"] };
  collector.fail(error);
  assertEquals([collector.firstError, cell.outputs], [error, []]);
  collector.end();
  assertEquals([collector.firstError, cell.outputs], [null, [error]]);
});

Deno.test("a display that changes in place tells its plain text, and a fixed one does not", () => {
  const said: string[] = [];
  const collector = new OutputCollector((text) => said.push(text));
  collector.begin(newCell());
  const messages = [
    show("fixed"),
    show("0 %", "bar"),
    show("50 %", "bar", "update_display_data"),
    show("", "marker", "update_display_data"),
  ];
  for (const [type, content] of messages) collector.take({ id: "", type, parentId: null, content });
  assertEquals(said, ["0 %", "50 %"]);
});
