import { assertEquals, assertGreaterOrEqual, assertMatch } from "@std/assert";
import { readRun } from "../store/mod.ts";
import type { EndSignal } from "../system/mod.ts";
import { StartedLab, TemporaryFolder } from "../testing/mod.ts";

const fixture = (name: string) => new URL(`./fixtures/${name}`, import.meta.url).pathname;

/** The processes of a run, the uppermost first. */
const PROCESSES = ["deno task", "lab", "supervisor", "server", "measuring process"] as const;
type ProcessName = typeof PROCESSES[number];

const SIGNALS: readonly EndSignal[] = ["SIGKILL", "SIGTERM"];

/** So many at a time make the most of two processors and of the graces. */
const AT_ONCE = 10;

/** How the only run in a folder has ended. Its rows are there, in their order. */
async function endingOf(data: string): Promise<[status: string, reason: string | null]> {
  const [folder] = [...Deno.readDirSync(`${data}/napping`)].map(({ name }) => `${data}/napping/${name}`);
  const { status, reason, tables, summary } = await readRun(folder!);
  const orders = [...tables.naps!.numbers("order")];
  assertGreaterOrEqual(orders.length, 1);
  assertEquals(orders, [...orders.keys()]);
  assertEquals(summary, []);
  return [status, reason];
}

/** How a run ends one of whose processes is sent a signal. */
function expected(signal: EndSignal, process: ProcessName, manner: string): [status: string, reason: RegExp] {
  const killed = signal === "SIGKILL";
  if (process === "server") {
    return [
      "failed",
      killed ? /^Server origin was ended by SIGKILL$/ : /^Server origin ended with status 0$/,
    ];
  }
  if (process === "measuring process") {
    return killed || manner !== "heedful"
      ? ["failed", /^The measuring process was ended by SIGKILL$/]
      : ["incomplete", /^The measuring process was asked to stop$/];
  }
  // A supervisor that is killed leaves the descriptor that it began with, as one does that was lost.
  const unsaid = manner === "musing" || (killed && process === "supervisor");
  return ["incomplete", unsaid ? /^It was not finished/ : /^Interrupted$/];
}

/** One death, and what is looked for after it. */
interface Case {
  readonly name: string;
  readonly run: () => Promise<void>;
}

function deathOfRun(signal: EndSignal, process: ProcessName, manner: string, naps = 1_000_000): Case {
  return {
    name: `${signal} of ${process}, the experiment being ${manner}`,
    async run() {
      using data = new TemporaryFolder();
      const options = ["--naps", `${naps}`, "--manner", manner, "--serve", "--data", data.path];
      await using started = new StartedLab(["run", fixture("napping.ts"), ...options]);
      // The summary is made by the supervisor, when everything below it has ended.
      await started.underWay("%", manner === "musing" ? PROCESSES.indexOf("server") : PROCESSES.length);
      await started.suffer(signal, PROCESSES.indexOf(process));
      const [status, reason] = await endingOf(data.path);
      const [expectedStatus, expectedReason] = expected(signal, process, manner);
      assertEquals(status, expectedStatus);
      assertMatch(`${reason}`, expectedReason);
    },
  };
}

function death(signal: EndSignal, process: "deno task" | "lab", args: readonly string[], sign: string): Case {
  return {
    name: `${signal} of ${process} in lab ${args[0]}`,
    async run() {
      await using started = new StartedLab(args);
      await started.underWay(sign, 3);
      await started.suffer(signal, PROCESSES.indexOf(process));
    },
  };
}

const CASES: readonly Case[] = [
  // What takes longest begins first.
  ...SIGNALS.flatMap((signal) => [
    deathOfRun(signal, "lab", "musing", 20),
    death(signal, "lab", ["run", fixture("never_loads.ts")], "lost"),
  ]),
  ...SIGNALS.flatMap((signal) => [
    ...["deaf", "busy", "heedful"].flatMap((manner) =>
      PROCESSES.map((process) => deathOfRun(signal, process, manner))
    ),
    death(signal, "deno task", ["serve", "origin"], "Listening"),
    death(signal, "lab", ["serve", "origin"], "Listening"),
  ]),
];

Deno.test("whichever process dies, and however, none is left, and the rows are kept", async (test) => {
  const waiting = [...CASES];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // Steps at the same moment cannot each be held to what it leaves open.
      const apart = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
      await test.step({ name: next.name, fn: next.run, ...apart });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
});
