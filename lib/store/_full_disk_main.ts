/**
 * Fills a small disk with a run, and prints as JSON what can be read of it afterwards. The folder is on a
 * disk that goes with the namespace of this process.
 */
import { join } from "node:path";
import { requestLines, START } from "./_testing.ts";
import { readRun } from "./run_reader.ts";
import { createRun } from "./run_writer.ts";

function messageOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const folder = Deno.args[0]!;
const writer = createRun(folder, START);
const lines = requestLines(1000);
let failure: string | null = null;
while (failure === null) failure = messageOf(() => writer.append("requests", lines, 1000));
const failed = writer.failed;
const again = messageOf(() => writer.append("requests", lines, 1000));
const end = messageOf(() => writer.finish({ status: "failed", reason: "The disk is full" }));
const run = await readRun(writer.path);
const orders = run.tables.requests!.numbers("order");
console.log(JSON.stringify({
  failure,
  failed,
  again,
  end,
  status: run.status,
  rows: orders.length,
  lastOrder: orders.at(-1),
  files: Array.from(Deno.readDirSync(writer.path), ({ name }) => name).sort(),
  none: messageOf(() => createRun(join(folder, "second"), START)),
  second: Array.from(Deno.readDirSync(join(folder, "second")), ({ name }) => name),
}));
